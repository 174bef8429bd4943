import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { IconArrowsExchange } from '@tabler/icons-react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import type { DnsReport } from '#server/services/certificates/schema.ts';
import { isSafeToSwitch } from './is-safe-to-switch.ts';
import { RecordChoice } from './record-choice.tsx';
import { rightRecords } from './records-to-set.ts';
import classes from './safe-to-switch.module.css';

/**
 * When the certificate is ready and traffic still goes elsewhere, shows the one record that brings it here.
 */
export function SafeToSwitch({ endpoint, report }: { endpoint: Endpoint; report: DnsReport | undefined }) {
  const { t } = useLingui();
  if (report === undefined || !isSafeToSwitch(endpoint, report)) return null;
  const { hostname, cname_target, bundle } = endpoint;
  const registeredDomain = bundle?.registered_domain ?? null;
  const fact = report.facts.find((entry) => entry.fact === 'traffic');
  const toSet = (fact && rightRecords(fact)) ?? {
    records: [{ name: hostname, type: 'CNAME', value: cname_target }],
    addresses: [],
  };
  return (
    <Alert
      color="green"
      role="status"
      icon={<IconArrowsExchange size={18} aria-hidden />}
      title={<Trans>Safe to switch</Trans>}
      classNames={{ wrapper: classes.shrink, body: classes.shrink }}
    >
      <Stack gap="sm" align="stretch">
        <Text size="sm">
          {fact?.status === 'missing' ? (
            <Trans>
              The certificate is ready and the hostname leads nowhere yet. Add this one record whenever you
              like: visitors reach you here over https from the start.
            </Trans>
          ) : (
            <Trans>
              The certificate is ready and visitors still go elsewhere. Change this one record whenever you
              like: they reach you here without interruption.
            </Trans>
          )}
        </Text>
        <RecordChoice toSet={toSet} registeredDomain={registeredDomain} label={t`Record to change`} />
      </Stack>
    </Alert>
  );
}
