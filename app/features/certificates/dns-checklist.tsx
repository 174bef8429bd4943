import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { isChallengeAwaited, isLocalName } from '#server/services/certificates/rules.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { CheckedAgo } from './checked-ago.tsx';
import classes from './dns-checklist.module.css';
import { DnsFactRow } from './dns-fact-row.tsx';
import { factsToShow } from './facts-to-show.ts';
import { isSafeToSwitch } from './is-safe-to-switch.ts';
import { RecordTable } from './record-table.tsx';
import type { useDnsReport } from './use-dns-report.ts';

/** The public DNS records of an endpoint, one by one: what is expected, what was found, what to do. */
export function DnsChecklist(props: { endpoint: Endpoint; report: ReturnType<typeof useDnsReport> }) {
  const { endpoint, report } = props;
  const { t } = useLingui();
  const describe = useErrorMessage();
  const { bundle, hostname, cname_target } = endpoint;
  if (isLocalName(hostname)) {
    return (
      <SectionCard title={<Trans>DNS records</Trans>}>
        <Text size="sm">
          <Trans>No record is needed: names under .localhost always lead to this computer.</Trans>
        </Text>
      </SectionCard>
    );
  }
  if (bundle === null) {
    return (
      <SectionCard title={<Trans>DNS records</Trans>}>
        <Stack gap="sm">
          <Text size="sm">
            <Trans>
              This record brings visitors here. The DNS is checked once a certificate has been requested.
            </Trans>
          </Text>
          <RecordTable
            records={[{ name: hostname, type: 'CNAME', value: cname_target }]}
            registeredDomain={null}
            label={t`Record to set`}
          />
        </Stack>
      </SectionCard>
    );
  }
  const isPending = isChallengeAwaited(bundle) && bundle.step === null;
  return (
    <SectionCard
      title={<Trans>DNS records</Trans>}
      description={report.data && <CheckedAgo instant={report.data.checked_at} />}
      action={<CheckButton onCheck={report.refetch} />}
    >
      {report.isError && (
        <Stack mb="md">
          <ErrorNotice>{describe(report.error)}</ErrorNotice>
        </Stack>
      )}
      <ul className={classes.facts}>
        {factsToShow(endpoint, bundle, report.data).map((fact) => (
          <DnsFactRow
            key={fact.fact}
            fact={fact}
            registeredDomain={bundle.registered_domain}
            isIssued={bundle.issued_at !== null}
            isRecordAbove={
              fact.fact === 'challenge'
                ? isPending
                : fact.fact === 'traffic' &&
                  report.data !== undefined &&
                  isSafeToSwitch(endpoint, report.data)
            }
          />
        ))}
      </ul>
    </SectionCard>
  );
}

function CheckButton({ onCheck }: { onCheck: () => Promise<unknown> }) {
  const [isChecking, setChecking] = useState(false);
  const check = async () => {
    setChecking(true);
    await onCheck();
    setChecking(false);
  };
  return (
    <Button variant="default" size="xs" loading={isChecking} onClick={() => void check()}>
      <Trans>Check again now</Trans>
    </Button>
  );
}
