import { Trans, useLingui } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import type { InstallationUsage } from '#server/services/operator/schema.ts';
import { Facts } from '../../../components/facts.tsx';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { trpc } from '../../../trpc.ts';
import { Sparkline } from '../../usage/chart/sparkline.tsx';
import { Answer, REFRESH_MS } from './answer.tsx';

/** What all sites served in thirty days. */
export function InstallationTraffic() {
  const usage = trpc.operator.usage.useQuery(undefined, { refetchInterval: REFRESH_MS });
  return (
    <SectionCard
      title={<Trans>Traffic of all sites</Trans>}
      description={<Trans>The last 30 days (UTC), today included.</Trans>}
    >
      <Answer query={usage}>{usage.data && <Figures days={usage.data.days} />}</Answer>
    </SectionCard>
  );
}

function Figures({ days }: { days: InstallationUsage['days'] }) {
  const { i18n, t } = useLingui();
  const sum = (figure: 'requests' | 'bytes_sent' | 'errors') =>
    days.reduce((total, day) => total + day[figure], 0);
  const today = days.at(-1);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          { name: t`Served`, value: formatBytes(sum('bytes_sent'), i18n.locale) },
          { name: t`Requests`, value: i18n.number(sum('requests')) },
          { name: t`Server errors`, value: i18n.number(sum('errors')) },
          { name: t`Served today`, value: formatBytes(today?.bytes_sent ?? 0, i18n.locale) },
          { name: t`Requests today`, value: i18n.number(today?.requests ?? 0) },
        ]}
      />
      <Sparkline values={days.map((day) => day.bytes_sent)} height={48} isLastPartial />
    </Stack>
  );
}
