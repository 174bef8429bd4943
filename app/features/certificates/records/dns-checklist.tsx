import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { isLocalName } from '#server/services/certificates/rules.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { CheckedAgo } from './checked-ago.tsx';
import classes from './dns-checklist.module.css';
import { DnsFactRow } from './dns-fact-row.tsx';
import { factsToShow } from './facts-to-show.ts';
import { isSafeToSwitch } from './is-safe-to-switch.ts';
import { RecordTable } from './record-table.tsx';
import type { useDnsReport } from './use-dns-report.ts';

/**
 * The records of an endpoint, each once: what to set, what the public DNS has, and what to do. One line where all is well.
 */
export function DnsChecklist(props: { endpoint: Endpoint; report: ReturnType<typeof useDnsReport> }) {
  const { endpoint, report } = props;
  const { t } = useLingui();
  const describe = useErrorMessage();
  const { bundle, hostname, cname_target } = endpoint;
  if (isLocalName(hostname)) {
    return (
      <SectionCard title={<Trans>DNS records</Trans>}>
        <Text size="sm">
          <Trans>No record is needed: names under .localhost always point to this computer.</Trans>
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
  const facts = factsToShow(endpoint, bundle, report.data);
  const isSafe = report.data !== undefined && isSafeToSwitch(endpoint, report.data);
  const list = (
    <ul className={classes.facts}>
      {facts.map((fact) => (
        <DnsFactRow
          key={fact.fact}
          fact={fact}
          registeredDomain={bundle.registered_domain}
          isIssued={bundle.issued_at !== null}
          isSafe={isSafe && fact.fact === 'traffic'}
        />
      ))}
    </ul>
  );
  return (
    <SectionCard
      title={<Trans>DNS records</Trans>}
      description={<CheckedAgo instant={report.data?.checked_at} />}
      action={<CheckButton onCheck={report.refetch} />}
    >
      {report.isError && (
        <Stack mb="md">
          <ErrorNotice>{describe(report.error)}</ErrorNotice>
        </Stack>
      )}
      {facts.every(({ status }) => status === 'ok') ? <AllWell>{list}</AllWell> : list}
    </SectionCard>
  );
}

/** One line while there is nothing to do; the records can be unfolded. */
function AllWell({ children }: { children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div className={classes.well}>
        <IconCircleCheckFilled size={20} aria-hidden />
        <span role="status">
          <Trans>All records are correct.</Trans>
        </span>
        <UnstyledButton
          fz="sm"
          c="var(--mantine-color-anchor)"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? <Trans>Hide the records</Trans> : <Trans>Show the records</Trans>}
        </UnstyledButton>
      </div>
      {isOpen && children}
    </>
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
