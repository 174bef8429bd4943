import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { REPORT_STATES } from '#server/services/abuse/rules.ts';
import type { AbuseReport, SiteForOperator, VersionForOperator } from '#server/services/abuse/schema.ts';
import { notifySuccess } from '../../components/notify.ts';
import { trpc } from '../../trpc.ts';
import { AbuseEntry } from './abuse-entry.tsx';
import { ListFrame } from './list-frame.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { useAct } from './use-act.ts';

const route = getRouteApi('/operator');

/** What is about to be suspended: the site, or one version of it. */
interface Suspending {
  site: SiteForOperator;
  version: VersionForOperator | null;
}

/** What strangers have reported, with the actions against it. */
export function AbuseView({ mayChange }: { mayChange: boolean }) {
  const { t } = useLingui();
  const { search, state } = route.useSearch();
  const utils = trpc.useUtils();
  const [suspending, setSuspending] = useState<Suspending | null>(null);
  const reports = trpc.operator.abuseReports.useInfiniteQuery(
    { search, state: REPORT_STATES.find((known) => known === state) },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const suspend = trpc.operator.suspendSite.useMutation();
  const resume = trpc.operator.resumeSite.useMutation();
  const dismiss = trpc.operator.dismissAbuseReport.useMutation();
  const rows = reports.data?.pages.flatMap((page) => page.items) ?? [];
  const refresh = () => utils.operator.abuseReports.invalidate();

  const act = useAct(refresh);
  const nameOf = ({ site, version }: Suspending) =>
    version ? t`version ${version.number} of ${site.name}` : site.name;
  // Screen readers announce what is visible first.
  const suspendWords = ({ site, version }: Suspending) =>
    version
      ? { text: t`Suspend version`, label: t`Suspend version ${version.number} of ${site.name}` }
      : { text: t`Suspend site`, label: t`Suspend site ${site.name}` };
  const resumeWords = ({ site, version }: Suspending) =>
    version
      ? { text: t`Resume version`, label: t`Resume version ${version.number} of ${site.name}` }
      : { text: t`Resume site`, label: t`Resume site ${site.name}` };
  const actionsOf = (report: AbuseReport) => {
    const { site, version } = report;
    const actions = [];
    if (report.closed_at === null) {
      actions.push(
        <Button
          key="dismiss"
          size="xs"
          variant="default"
          aria-label={t`Dismiss the report about ${report.address}`}
          onClick={() => void act(dismiss.mutateAsync({ report_id: report.id }), t`The report is closed`)}
        >
          <Trans context="report">Dismiss</Trans>
        </Button>,
      );
    }
    for (const what of site ? [...(version ? [{ site, version }] : []), { site, version: null }] : []) {
      const ids = { site_id: what.site.id, ...(what.version && { version_id: what.version.id }) };
      const isSuspended = (what.version ?? what.site).suspended_at !== null;
      const words = isSuspended ? resumeWords(what) : suspendWords(what);
      actions.push(
        <Button
          key={what.version ? 'version' : 'site'}
          size="xs"
          variant="default"
          aria-label={words.label}
          onClick={() =>
            isSuspended
              ? void act(resume.mutateAsync(ids), t`${nameOf(what)} is served again`)
              : setSuspending(what)
          }
        >
          {words.text}
        </Button>,
      );
    }
    return actions;
  };

  return (
    <>
      <ListFrame
        label={t`Abuse reports`}
        searchLabel={t`Search addresses`}
        states={[
          { value: 'open', label: t({ context: 'reports', message: 'Open' }) },
          { value: 'closed', label: t({ context: 'reports', message: 'Closed' }) },
        ]}
        query={reports}
        isEmpty={rows.length === 0}
        empty={state === 'open' ? <Trans>No report is open.</Trans> : undefined}
      >
        {rows.map((report) => (
          <AbuseEntry key={report.id} report={report} actions={mayChange && actionsOf(report)} />
        ))}
      </ListFrame>
      {suspending && (
        <ReasonDialog
          title={t`Suspend ${nameOf(suspending)}?`}
          explanation={
            suspending.version ? (
              <Trans>
                Within a second, this version is no longer served anywhere and cannot be published again;
                other versions can. Open reports about it are closed.
              </Trans>
            ) : (
              <Trans>
                Within a second the site is no longer served: not at its address, its previews or its
                hostnames. Open reports about it are closed.
              </Trans>
            )
          }
          readers={t`Shown to the members of the organization in the console, and sent to them by email.`}
          confirm={t`Suspend`}
          onConfirm={async (reason) => {
            const { site, version } = suspending;
            await suspend.mutateAsync({
              site_id: site.id,
              ...(version && { version_id: version.id }),
              reason,
            });
            notifySuccess(t`${nameOf(suspending)} is suspended`);
            await refresh();
          }}
          onClosed={() => setSuspending(null)}
        />
      )}
    </>
  );
}
