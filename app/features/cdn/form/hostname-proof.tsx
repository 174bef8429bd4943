import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { RecordTable } from '../../certificates/records/record-table.tsx';
import type { ProofSight, ProofWatch } from '../endpoint/use-proof-watch.ts';

/** The record that proves a hostname while another organization holds it, and whether it has been found. */
export function HostnameProof({ watch }: { watch: ProofWatch }) {
  const { t } = useLingui();
  if (watch.record === null) return null;
  return (
    <Stack gap="xs">
      <Text size="sm">
        <Trans>If the domain is yours, this record proves it:</Trans>
      </Text>
      <RecordTable
        records={[watch.record]}
        registeredDomain={null}
        label={t`Record that proves the hostname`}
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" aria-live="polite" flex={1}>
          <Sight sight={watch.sight} />
        </Text>
        <Button variant="default" size="xs" loading={watch.isLooking} onClick={watch.lookNow}>
          <Trans>Check now</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

function Sight({ sight }: { sight: ProofSight }) {
  switch (sight) {
    case 'unseen':
      return <Trans>Not found yet. We check every ten seconds; you can leave this window open.</Trans>;
    case 'unanswered':
      return <Trans>The DNS lookup got no answer. We will try again in ten seconds.</Trans>;
    case 'ended':
      return <Trans>Not found in half an hour. Check again once the record is in place.</Trans>;
  }
}
