import { createAccount } from '../services/identity/accounts/create-account.ts';
import { blockPerson, unblockPerson } from '../services/people/block-person.ts';
import { deletePerson } from '../services/people/delete-person.ts';
import { getPerson } from '../services/people/get-person.ts';
import { listPeople } from '../services/people/list-people.ts';
import {
  listPeopleInput,
  type PersonDetail,
  type PersonForOperator,
  setOperatorAccessInput,
} from '../services/people/schema.ts';
import { setOperatorAccess } from '../services/people/set-operator-access.ts';
import { signOutPerson } from '../services/people/sign-out-person.ts';
import { type Command, command, flagOption, textOption } from './command.ts';
import { fields, plain } from './format-text.ts';
import { pageInput, pageOptions, showPage } from './paged-list.ts';

const PERSON = 'ID|LOGIN|EMAIL';

/** Who may sign in, and what happens to those who may not. */
export const peopleCommands: readonly Command[] = [
  command({
    name: 'people list',
    summary: 'List people who have signed in or have an account here, newest first',
    options: pageOptions('part of a name, a login or an address', 'active|blocked'),
    run: (context, input) => listPeople(context, listPeopleInput.parse(pageInput(input))),
    show: ({ items, next_cursor }) => {
      const rows = items.map((person) => [
        person.id,
        person.login,
        person.email,
        person.full_name,
        stateOf(person),
        person.created_at,
      ]);
      const head = ['ID', 'LOGIN', 'EMAIL', 'NAME', 'STATE', 'CREATED'];
      return showPage(head, rows, { none: 'There are no such people.', nextCursor: next_cursor });
    },
  }),
  command({
    name: 'people show',
    summary: 'Show a person with their organizations and sessions',
    args: [PERSON],
    run: (context, { args }) => getPerson(context, { person: args[0] ?? '' }),
    show: showPerson,
  }),
  command({
    name: 'people create',
    summary: 'Create an account, and print a one-time link for its owner to choose a password',
    args: ['EMAIL'],
    options: {
      name: textOption('NAME', 'the full name', true),
      login: textOption('LOGIN', 'the user name; by default it is derived from the address'),
    },
    run: (context, { args, option }) =>
      createAccount(context, {
        email: args[0] ?? '',
        full_name: option('name') ?? '',
        login: option('login'),
      }),
    show: ({ login, link, expires_at }) =>
      `${plain(login)} has an account.\n\n${link}\n\nIt works once, until ${expires_at}. Give it to no one else.`,
  }),
  command({
    name: 'people block',
    summary:
      'Block a person: sign them out everywhere and keep them out; their organizations are not affected',
    args: [PERSON],
    options: { reason: textOption('TEXT', 'why, for operators', true) },
    run: (context, { args, option }) =>
      blockPerson(context, { person: args[0] ?? '', reason: option('reason') ?? '' }),
    show: ({ login }) => `${plain(login)} is blocked.`,
  }),
  command({
    name: 'people unblock',
    summary: 'Unblock a person',
    args: [PERSON],
    run: (context, { args }) => unblockPerson(context, { person: args[0] ?? '' }),
    show: ({ login }) => `${plain(login)} can sign in again.`,
  }),
  command({
    name: 'people sign-out',
    summary: 'End every session of a person, everywhere',
    args: [PERSON],
    run: (context, { args }) => signOutPerson(context, { person: args[0] ?? '' }),
    show: ({ login }) => `${plain(login)} is signed out everywhere.`,
  }),
  command({
    name: 'people operator',
    summary: 'Give a person access to the operator’s screens of the console, or take it away',
    args: [PERSON, 'read|manage|none'],
    run: (context, { args }) => {
      const [person, access] = args;
      return setOperatorAccess(context, setOperatorAccessInput.parse({ person, access }));
    },
    show: ({ login, operator_access }) =>
      operator_access === null
        ? `${plain(login)} is not an operator.`
        : `${plain(login)} is an operator with the access ${operator_access}.`,
  }),
  command({
    name: 'people delete',
    summary: 'Delete a person, and transfer or delete what only they own',
    args: [PERSON],
    options: {
      'give-to': textOption('LOGIN|EMAIL', 'the new owner of organizations without another owner'),
      'delete-content': flagOption(
        'delete the content of the personal workspace and of organizations without a new owner',
      ),
    },
    run: (context, { args, option, has }) =>
      deletePerson(context, {
        person: args[0] ?? '',
        give_to: option('give-to'),
        delete_content: has('delete-content'),
      }),
    show: ({ login, given_organizations, deleted_organizations }) =>
      [
        `${plain(login)} is deleted.`,
        ...given_organizations.map((name) => `Transferred: ${plain(name)}`),
        ...deleted_organizations.map((name) => `Deleted: ${plain(name)}`),
      ].join('\n'),
  }),
];

function stateOf({ blocked_at }: PersonForOperator): string {
  return blocked_at === null ? 'active' : 'blocked';
}

function showPerson(person: PersonDetail): string {
  const { blocked_at, blocked_reason } = person;
  return fields({
    id: person.id,
    login: person.login,
    name: person.full_name,
    email: person.email,
    'account kept': person.is_kept_here ? 'here' : 'by the issuer',
    state: stateOf(person),
    operator: person.operator_access ?? 'no',
    ...(blocked_at === null ? {} : { 'blocked since': blocked_at, reason: blocked_reason }),
    organizations: person.organizations.map(
      ({ id, name, permission, is_only_owner }) =>
        `${plain(name)} (${id}): ${is_only_owner ? 'only owner' : permission}`,
    ),
    sessions: person.sessions,
    'last used': person.last_used_at,
    created: person.created_at,
  });
}
