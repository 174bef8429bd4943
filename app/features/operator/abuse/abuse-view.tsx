import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { REPORT_STATES } from '#server/services/abuse/rules.ts';
import { trpc } from '../../../trpc.ts';
import { ListFrame } from '../list-frame.tsx';
import { AbuseActions } from './abuse-actions.tsx';
import { AbuseEntry } from './abuse-entry.tsx';
import { SuspendDialog } from './suspend-dialog.tsx';
import type { Suspendable } from './suspension.ts';

const route = getRouteApi('/operator');

/** What strangers have reported, with the actions against it. */
export function AbuseView({ mayChange }: { mayChange: boolean }) {
  const { t } = useLingui();
  const { search, state } = route.useSearch();
  const [suspending, setSuspending] = useState<Suspendable | null>(null);
  const reports = trpc.operator.abuseReports.useInfiniteQuery(
    { search, state: REPORT_STATES.find((known) => known === state) },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const rows = reports.data?.pages.flatMap((page) => page.items) ?? [];
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
        empty={
          state === 'closed' ? undefined : state === 'open' ? (
            <Trans>No report is open.</Trans>
          ) : (
            <Trans>Nothing has been reported.</Trans>
          )
        }
      >
        {rows.map((report) => (
          <AbuseEntry
            key={report.id}
            report={report}
            actions={mayChange && <AbuseActions report={report} onSuspend={setSuspending} />}
          />
        ))}
      </ListFrame>
      {suspending && <SuspendDialog what={suspending} onClosed={() => setSuspending(null)} />}
    </>
  );
}
