import { useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsageOverview, UsageTotals } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { GrowthNote } from '../growth-note.tsx';
import { UsageTile } from '../usage-tile.tsx';
import classes from '../usage-tiles.module.css';

/** The numbers of an endpoint next to each other, each with its change. */
export function EndpointUsageTiles({ overview }: { overview: UsageOverview }) {
  const { t, i18n } = useLingui();
  const { summary, previous } = overview;
  const rate = hitRateOf(summary);
  const failed = summary.total_status_4xx + summary.total_status_5xx;
  const share = i18n.number(failed / Math.max(1, summary.total_requests), {
    style: 'percent',
    maximumFractionDigits: 1,
  });
  const visitors = i18n.number(summary.total_status_4xx);
  const servers = i18n.number(summary.total_status_5xx);
  return (
    <dl className={classes.tiles}>
      <UsageTile
        name={t`Total requests`}
        note={<GrowthNote now={summary.total_requests} before={previous.total_requests} period="custom" />}
      >
        {i18n.number(summary.total_requests)}
      </UsageTile>
      <UsageTile
        name={t`Bandwidth`}
        note={
          <GrowthNote now={summary.total_bytes_sent} before={previous.total_bytes_sent} period="custom" />
        }
      >
        {formatBytes(summary.total_bytes_sent, i18n.locale)}
      </UsageTile>
      <UsageTile
        name={t`Cache hit rate`}
        note={<GrowthNote now={rate} before={hitRateOf(previous)} period="custom" isRate />}
      >
        {rate === null ? '–' : i18n.number(rate / 100, { style: 'percent' })}
      </UsageTile>
      <UsageTile
        name={t`Failed requests`}
        note={
          <Text size="xs" c="dimmed">
            {failed === 0 ? t`No 4xx, no 5xx` : t`${share} of all: ${visitors} × 4xx, ${servers} × 5xx`}
          </Text>
        }
      >
        {i18n.number(failed)}
      </UsageTile>
    </dl>
  );
}

function hitRateOf({ total_cache_hits, total_cache_misses }: UsageTotals): number | null {
  return cacheHitRate(total_cache_hits, total_cache_misses);
}
