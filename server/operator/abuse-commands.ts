import { dismissAbuseReport } from '../services/abuse/dismiss-abuse-report.ts';
import { listAbuseReports } from '../services/abuse/list-abuse-reports.ts';
import {
  dismissAbuseReportInput,
  listAbuseReportsInput,
  type SiteSuspension,
  siteForOperatorInput,
  suspendSiteInput,
} from '../services/abuse/schema.ts';
import { resumeSite, suspendSite } from '../services/abuse/suspend-site.ts';
import { type Command, type CommandInput, command, textOption } from './command.ts';
import { plain } from './format-text.ts';
import { pageInput, pageOptions, showPage } from './paged-list.ts';

const version = textOption(
  'VERSION',
  'only the version with this id; the address of its preview begins with it',
);

const siteOf = ({ args, option }: CommandInput) => ({
  site_id: args[0],
  version_id: option('version'),
});

export const abuseCommands: readonly Command[] = [
  command({
    name: 'abuse list',
    summary: 'List abuse reports, newest first',
    options: pageOptions('part of the address', 'open|closed'),
    run: (context, input) => listAbuseReports(context, listAbuseReportsInput.parse(pageInput(input))),
    show: ({ items, next_cursor }) => {
      const rows = items.map((item) => [
        item.id,
        item.created_at,
        item.kind,
        item.outcome ?? 'open',
        item.site?.name ?? null,
        item.version?.id ?? null,
        item.address,
        item.email,
        item.description,
      ]);
      const head = ['ID', 'REPORTED', 'KIND', 'STATE', 'SITE', 'VERSION', 'ADDRESS', 'FROM', 'DESCRIPTION'];
      return showPage(head, rows, { none: 'There are no such reports.', nextCursor: next_cursor });
    },
  }),
  command({
    name: 'abuse dismiss',
    summary: 'Close a report without taking action',
    args: ['REPORT'],
    options: { note: textOption('TEXT', 'why, for operators') },
    run: (context, { args, option }) =>
      dismissAbuseReport(
        context,
        dismissAbuseReportInput.parse({ report_id: args[0], note: option('note') }),
      ),
    show: ({ id }) => `The report ${id} is closed.`,
  }),
  command({
    name: 'sites suspend',
    summary: 'Stop serving a site, or one version of it',
    args: ['SITE'],
    options: { reason: textOption('TEXT', 'shown to its members', true), version },
    run: (context, input) =>
      suspendSite(context, suspendSiteInput.parse({ ...siteOf(input), reason: input.option('reason') })),
    show: (suspension) => `${nameOf(suspension)} is suspended; reports closed: ${suspension.closed_reports}.`,
  }),
  command({
    name: 'sites resume',
    summary: 'Serve a suspended site, or a version of it, again',
    args: ['SITE'],
    options: { version },
    run: (context, input) => resumeSite(context, siteForOperatorInput.parse(siteOf(input))),
    show: (suspension) =>
      suspension.version
        ? `${nameOf(suspension)} is no longer suspended.`
        : `${nameOf(suspension)} is no longer suspended. Its suspended versions stay suspended: resume each with --version.`,
  }),
];

function nameOf({ site, version }: SiteSuspension): string {
  const name = `${plain(site.name)} (${site.id}) of ${plain(site.organization_name)}`;
  return version ? `Version ${version.number} of ${name}` : name;
}
