import { useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import { cacheHitRate, type Period } from '#server/services/usage/rules.ts';
import type { UsageOverview } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../i18n/formats/format-bytes.ts';
import { GrowthNote } from './growth-note.tsx';
import { UsageTile } from './usage-tile.tsx';
import classes from './usage-tiles.module.css';

/**
 * The numbers of a range next to each other: the three of the panel, and with `hasHitRate` the cache hit
 * rate. For one site or endpoint, active sites are not counted.
 */
export function UsageTiles(props: {
  overview: UsageOverview;
  period: Period;
  hasHitRate?: boolean;
  isOfOne?: boolean;
}) {
  const { t, i18n } = useLingui();
  const { overview, period, hasHitRate = false, isOfOne = false } = props;
  const { summary, previous } = overview;
  const rate = cacheHitRate(summary.total_cache_hits, summary.total_cache_misses);
  return (
    <dl className={classes.tiles}>
      <UsageTile
        name={t`Bandwidth used`}
        note={
          <GrowthNote now={summary.total_bytes_sent} before={previous.total_bytes_sent} period={period} />
        }
      >
        {formatBytes(summary.total_bytes_sent, i18n.locale)}
      </UsageTile>
      <UsageTile
        name={t`Total requests`}
        note={<GrowthNote now={summary.total_requests} before={previous.total_requests} period={period} />}
      >
        {i18n.number(summary.total_requests)}
      </UsageTile>
      {hasHitRate && (
        <UsageTile
          name={t`Cache hit rate`}
          note={
            <GrowthNote
              now={rate}
              before={cacheHitRate(previous.total_cache_hits, previous.total_cache_misses)}
              period={period}
              isRate
            />
          }
        >
          {rate === null ? '–' : i18n.number(rate / 100, { style: 'percent' })}
        </UsageTile>
      )}
      {!isOfOne && <UsageTile name={t`Active sites`}>{i18n.number(overview.active_sites)}</UsageTile>}
    </dl>
  );
}

/** The tiles before their data. */
export function UsageTilesSkeleton({ count }: { count: 3 | 4 }) {
  return (
    <div className={classes.tiles}>
      {[104, 96, 92, 76].slice(0, count).map((width) => (
        <div key={width} className={classes.tile}>
          <Skeleton height={12} width={width} my={4} />
          <Skeleton height={22} width={width + 16} my={6} />
          <Skeleton height={12} width={width + 40} maw="100%" my={4} />
        </div>
      ))}
    </div>
  );
}
