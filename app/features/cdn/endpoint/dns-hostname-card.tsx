import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { CopyButton } from '../../../components/copying/copy-button.tsx';
import { DottedName } from '../../../components/dotted-name.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import classes from './dns-hostname-card.module.css';

/** The name that the endpoint's hostname points at, used by this endpoint only. */
export function DnsHostnameCard({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useLingui();
  return (
    <SectionCard title={<Trans>DNS hostname</Trans>}>
      <div className={classes.target}>
        <code>
          <DottedName name={endpoint.cname_target} />
        </code>
        <CopyButton value={endpoint.cname_target} label={t`Copy the DNS hostname`} />
      </div>
      <Text size="sm" c="dimmed" mt="sm">
        <Trans>The target of your hostname’s CNAME record. It never changes.</Trans>
      </Text>
    </SectionCard>
  );
}
