import { getInstallationStats } from '../services/operator/get-installation-stats.ts';
import { getOrganizationForOperator } from '../services/operator/get-organization-for-operator.ts';
import { listOrganizationsForOperator } from '../services/operator/list-organizations-for-operator.ts';
import { resumeOrganization } from '../services/operator/resume-organization.ts';
import {
  listOrganizationsForOperatorInput,
  type OrganizationDetail,
  type OrganizationForOperator,
  setLimitsInput,
  setMemberInput,
} from '../services/operator/schema.ts';
import { setOrganizationFeatures } from '../services/operator/set-organization-features.ts';
import { setOrganizationLimits } from '../services/operator/set-organization-limits.ts';
import { setOrganizationMember } from '../services/operator/set-organization-member.ts';
import { suspendOrganization } from '../services/operator/suspend-organization.ts';
import { type Command, command, repeatedOption, textOption } from './command.ts';
import { fields, plain, table } from './format-text.ts';
import { pageInput, pageOptions, showPage } from './paged-list.ts';

const ORGANIZATION = 'ORGANIZATION';

export const organizationCommands: readonly Command[] = [
  command({
    name: 'organizations list',
    summary: 'List organizations, newest first',
    options: pageOptions(
      'part of a name, a handle, an external id, or a login or address of a member',
      'active|suspended|detached',
    ),
    run: (context, input) =>
      listOrganizationsForOperator(context, listOrganizationsForOperatorInput.parse(pageInput(input))),
    show: ({ items, next_cursor }) => {
      const rows = items.map((item) => [
        item.id,
        item.external_id,
        item.handle,
        item.name,
        stateOf(item),
        item.features,
        item.created_at,
      ]);
      const head = ['ID', 'EXTERNAL ID', 'HANDLE', 'NAME', 'STATE', 'FEATURES', 'CREATED'];
      return showPage(head, rows, { none: 'There are no such organizations.', nextCursor: next_cursor });
    },
  }),
  command({
    name: 'organizations show',
    summary: 'Show an organization, its contents and its owners',
    args: [ORGANIZATION],
    run: (context, { args }) => getOrganizationForOperator(context, { organization_id: args[0] ?? '' }),
    show: showDetail,
  }),
  command({
    name: 'organizations suspend',
    summary: 'Suspend an organization: nothing is served and nothing can be changed',
    args: [ORGANIZATION],
    options: { reason: textOption('TEXT', 'shown to its members', true) },
    run: (context, { args, option }) =>
      suspendOrganization(context, { organization_id: args[0] ?? '', reason: option('reason') ?? '' }),
    show: (detail) => `${plain(detail.name)} (${detail.id}) is suspended.`,
  }),
  command({
    name: 'organizations resume',
    summary: 'End the suspension of an organization',
    args: [ORGANIZATION],
    run: (context, { args }) => resumeOrganization(context, { organization_id: args[0] ?? '' }),
    show: (detail) => `${plain(detail.name)} (${detail.id}) can be used again.`,
  }),
  command({
    name: 'organizations features',
    summary: 'Show or change the features of an organization',
    args: [ORGANIZATION],
    options: {
      add: repeatedOption('FEATURE', 'switch a feature on; may be repeated'),
      remove: repeatedOption('FEATURE', 'switch a feature off; may be repeated'),
    },
    async run(context, { args, options }) {
      const organization_id = args[0] ?? '';
      const detail = await getOrganizationForOperator(context, { organization_id });
      const removed = options('remove');
      const added = options('add');
      if (added.length === 0 && removed.length === 0) return detail;
      const features = [...detail.features, ...added].filter((feature) => !removed.includes(feature));
      return setOrganizationFeatures(context, { organization_id: detail.id, features });
    },
    show: ({ name, id, features }) =>
      `${plain(name)} (${id}) has ${features.length === 0 ? 'no features' : features.map(plain).join(', ')}.`,
  }),
  command({
    name: 'organizations limits',
    summary: 'Show or change the limits of an organization',
    args: [ORGANIZATION],
    options: {
      set: repeatedOption('NAME=NUMBER', 'set a limit, e.g. sites=1000; may be repeated'),
      reset: repeatedOption('NAME', 'restore the installation’s default; may be repeated'),
    },
    async run(context, { args, options }) {
      const organization_id = args[0] ?? '';
      const changes = [
        ...options('set').map(readLimit),
        ...options('reset').map((name) => [name, null] as const),
      ];
      if (changes.length === 0) return getOrganizationForOperator(context, { organization_id });
      const limits = Object.fromEntries(changes);
      return setOrganizationLimits(context, setLimitsInput.parse({ organization_id, limits }));
    },
    show: ({ limits }) => {
      const rows = limits.map(({ name, used, limit, default_limit }) => [name, used, limit, default_limit]);
      return table(['NAME', 'USED', 'LIMIT', 'DEFAULT'], rows, '');
    },
  }),
  command({
    name: 'organizations set-member',
    summary: 'Add or change a member, e.g. when an owner is gone',
    args: [ORGANIZATION, 'LOGIN|EMAIL', 'read|write|admin|owner'],
    run(context, { args }) {
      const [organization_id, member, permission] = args;
      return setOrganizationMember(context, setMemberInput.parse({ organization_id, member, permission }));
    },
    show: ({ login, email, permission }) =>
      `${plain(login)} (${plain(email)}) now has the ${permission} permission there.`,
  }),
  command({
    name: 'stats',
    summary: 'Show the number of people, organizations, sites and so on of this installation',
    run: getInstallationStats,
    show: (stats) =>
      fields(
        Object.fromEntries(Object.entries(stats).map(([name, value]) => [name.replaceAll('_', ' '), value])),
      ),
  }),
];

/** `NAME=NUMBER`; anything that is not a number is refused with the name. */
function readLimit(text: string): readonly [string, number] {
  const separator = text.indexOf('=');
  const value = text.slice(separator + 1);
  return [separator < 0 ? text : text.slice(0, separator), /^\d+$/.test(value) ? Number(value) : Number.NaN];
}

/** An organization managed here loses its last member only by being deleted. */
function stateOf({ suspended_at, detached_at, is_managed_here }: OrganizationForOperator): string {
  if (suspended_at !== null) return 'suspended';
  if (detached_at === null) return 'active';
  return is_managed_here ? 'deleted' : 'detached';
}

function showDetail(detail: OrganizationDetail): string {
  return fields({
    id: detail.id,
    'external id': detail.external_id,
    name: detail.name,
    handle: detail.handle,
    kind: detail.kind,
    state: stateOf(detail),
    ...(detail.suspended_at === null
      ? {}
      : { 'suspended since': detail.suspended_at, reason: detail.suspension_reason }),
    ...(detail.detached_at === null ? {} : { 'detached since': detail.detached_at }),
    'managed here': detail.is_managed_here,
    features: detail.features,
    members: detail.members,
    owners: detail.owners.map(({ login, email }) => `${login} <${email}>`),
    sites: detail.sites,
    endpoints: detail.endpoints,
    credentials: detail.credentials,
    'stored bytes': detail.stored_bytes,
    'last deployed': detail.last_deployed_at,
    created: detail.created_at,
  });
}
