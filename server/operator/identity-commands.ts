import { createResetLink } from '../services/identity/accounts/create-reset-link.ts';
import { createIdentityClient } from '../services/identity/clients/create-identity-client.ts';
import { deleteIdentityClient } from '../services/identity/clients/delete-identity-client.ts';
import { listIdentityClients } from '../services/identity/clients/list-identity-clients.ts';
import { resetSecondFactor } from '../services/identity/second-factor/reset-second-factor.ts';
import { type Command, command, repeatedOption, textOption } from './command.ts';
import { table } from './format-text.ts';

export const identityCommands: readonly Command[] = [
  command({
    name: 'client create',
    summary:
      'Allow another program to sign people in with the accounts of this installation; prints its secret once',
    options: {
      name: textOption('NAME', 'the name that people see', true),
      'redirect-uri': repeatedOption('ADDRESS', 'where authorization codes are sent; may be repeated', true),
    },
    run: (context, { option, options }) =>
      createIdentityClient(context, {
        name: option('name') ?? '',
        redirect_uris: [...options('redirect-uri')],
      }),
    show: ({ client, client_secret }) =>
      [
        `client id      ${client.client_id}`,
        `client secret  ${client_secret}`,
        '',
        'The secret is shown only once.',
      ].join('\n'),
  }),
  command({
    name: 'client list',
    summary: 'List the programs that sign people in with the accounts of this installation',
    run: listIdentityClients,
    show: (clients) =>
      table(
        ['CLIENT ID', 'NAME', 'CREATED', 'REDIRECT ADDRESSES'],
        clients.map((client) => [client.client_id, client.name, client.created_at, client.redirect_uris]),
        'There are no clients.',
      ),
  }),
  command({
    name: 'client delete',
    summary: 'Stop a program from signing people in',
    args: ['CLIENT_ID'],
    async run(context, { args }) {
      const client_id = args[0] ?? '';
      await deleteIdentityClient(context, { client_id });
      return { client_id };
    },
    show: ({ client_id }) => `The client ${client_id} is deleted.`,
  }),
  command({
    name: 'account reset-link',
    summary:
      'Print a one-time link for the owner of an account of this installation to choose a new password',
    args: ['EMAIL'],
    run: (context, { args }) => createResetLink(context, { email: args[0] ?? '' }),
    show: ({ link, expires_at }) => `${link}\n\nIt works once, until ${expires_at}. Give it to no one else.`,
  }),
  command({
    name: 'account reset-second-factor',
    summary: 'Turn off two-step sign-in for a person who has lost the app and the recovery codes',
    args: ['EMAIL'],
    run: (context, { args }) => resetSecondFactor(context, { email: args[0] ?? '' }),
    show: ({ email }) => `${email} can sign in with the password alone.`,
  }),
];
