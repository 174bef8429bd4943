import { createOperatorToken } from '../services/operator/create-operator-token.ts';
import { listOperatorTokens } from '../services/operator/list-operator-tokens.ts';
import { revokeOperatorToken } from '../services/operator/revoke-operator-token.ts';
import { createOperatorTokenInput, type OperatorToken } from '../services/operator/schema.ts';
import { type Command, command, textOption } from './command.ts';
import { plain, table } from './format-text.ts';

export const tokenCommands: readonly Command[] = [
  command({
    name: 'token create',
    summary: 'Create an operator token and print it once',
    options: {
      name: textOption('NAME', 'what it is for', true),
      access: textOption('read|manage', 'read (the default) can only read, manage can also make changes'),
      'expires-in-days': textOption('DAYS', 'the number of days until it expires; by default it never does'),
    },
    run(context, { option }) {
      const days = option('expires-in-days');
      const input = {
        name: option('name'),
        access: option('access'),
        expires_in_days: days === undefined ? null : Number(days),
      };
      return createOperatorToken(context, createOperatorTokenInput.parse(input));
    },
    show: ({ operator_token, token }) =>
      [
        token,
        '',
        `Token ${operator_token.id} (${operator_token.access}, ${expiryOf(operator_token)}).`,
        'It is shown only once. Send it as "Authorization: Bearer …".',
      ].join('\n'),
  }),
  command({
    name: 'token list',
    summary: 'List the operator tokens, including expired and revoked ones',
    run: listOperatorTokens,
    show: (tokens) =>
      table(
        ['ID', 'NAME', 'ACCESS', 'CREATED', 'LAST USED', 'EXPIRES', 'REVOKED'],
        tokens.map((token) => [
          token.id,
          token.name,
          token.access,
          token.created_at,
          token.last_used_at,
          token.expires_at,
          token.revoked_at,
        ]),
        'There are no operator tokens.',
      ),
  }),
  command({
    name: 'token revoke',
    summary: 'Revoke an operator token immediately',
    args: ['ID'],
    run: (context, { args }) => revokeOperatorToken(context, { token_id: args[0] ?? '' }),
    show: (token) => `${plain(token.name)} (${token.id}) is revoked.`,
  }),
];

function expiryOf({ expires_at }: OperatorToken): string {
  return expires_at === null ? 'works until it is revoked' : `works until ${expires_at}`;
}
