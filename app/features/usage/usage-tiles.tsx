import { useLingui } from '@lingui/react/macro';
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { cacheHitRate, type Period } from '#server/services/usage/rules.ts';
import type { UsageOverview } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../i18n/format-bytes.ts';
import { GrowthNote } from './growth-note.tsx';
import classes from './usage-tiles.module.css';

/** A figure under its name, and a quiet line below it. */
function Tile({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes.tile}>
      <dt className={classes.name}>{name}</dt>
      <dd className={classes.figure}>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

/** The figures of a range beside each other: the three of the panel, and with `hasHitRate` how much the cache answered. */
export function UsageTiles(props: { overview: UsageOverview; period: Period; hasHitRate?: boolean }) {
  const { t, i18n } = useLingui();
  const { overview, period, hasHitRate = false } = props;
  const { summary, previous } = overview;
  const rate = cacheHitRate(summary.total_cache_hits, summary.total_cache_misses);
  return (
    <dl className={classes.tiles}>
      <Tile
        name={t`Bandwidth used`}
        note={
          <GrowthNote now={summary.total_bytes_sent} before={previous.total_bytes_sent} period={period} />
        }
      >
        {formatBytes(summary.total_bytes_sent, i18n.locale)}
      </Tile>
      <Tile
        name={t`Total requests`}
        note={<GrowthNote now={summary.total_requests} before={previous.total_requests} period={period} />}
      >
        {i18n.number(summary.total_requests)}
      </Tile>
      {hasHitRate && (
        <Tile
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
        </Tile>
      )}
      <Tile name={t`Active sites`}>{i18n.number(overview.active_sites)}</Tile>
    </dl>
  );
}

/** The tiles before their figures. */
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
