import { useLingui } from '@lingui/react/macro';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsageTotals } from '#server/services/usage/schema.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { GrowthNote } from '../growth-note.tsx';
import { errorRate } from './error-rate.ts';
import { FigureLines } from './figure-lines.tsx';
import { SPARK_DAYS } from './month-usage-inputs.ts';
import type { MonthUsage } from './use-month-usage.ts';

export type FigureName = 'bandwidth' | 'requests' | 'hit_rate' | 'errors';

interface Figure {
  label: string;
  /** The number's value for a total; null without a value. */
  of: (totals: UsageTotals) => number | null;
  write: (value: number) => string;
  /** A rate is a percentage: it has no value on a day without requests. */
  isRate?: true;
  /** The top of its sparkline; the highest value if omitted. */
  max?: (values: readonly (number | null)[]) => number;
}

/** An error rate below this is drawn as low as it is. */
const ERRORS_DRAWN_MIN = 5;

/** Numbers of the month to date, each with its last 30 days as a line and its change. */
export function MonthFigures({ usage, names }: { usage: MonthUsage; names: readonly FigureName[] }) {
  const figures = useFigures();
  const { summary, previous } = usage.month;
  // A page requested just before midnight (UTC) gets one day more.
  const points = usage.days.points.slice(-SPARK_DAYS);
  return (
    <FigureLines
      figures={names.map((name) => {
        const { label, of, write, isRate = false, max } = figures[name];
        const value = of(summary);
        const values = points.map(of);
        return {
          label,
          value: value === null ? '–' : write(value),
          note: <GrowthNote now={value} before={of(previous)} isRate={isRate} isBrief />,
          values,
          max: max?.(values),
        };
      })}
    />
  );
}

function useFigures(): Record<FigureName, Figure> {
  const { t, i18n } = useLingui();
  const percent = (value: number, maximumFractionDigits = 0) =>
    i18n.number(value / 100, { style: 'percent', maximumFractionDigits });
  return {
    bandwidth: {
      label: t`Bandwidth`,
      of: ({ total_bytes_sent: bytes }) => bytes,
      write: (bytes) => formatBytes(bytes, i18n.locale),
    },
    requests: {
      label: t`Requests`,
      of: ({ total_requests: requests }) => requests,
      write: (requests) => i18n.number(requests),
    },
    hit_rate: {
      label: t`Cache hit rate`,
      of: ({ total_cache_hits: hits, total_cache_misses: misses }) => cacheHitRate(hits, misses),
      write: (rate) => percent(rate),
      isRate: true,
      max: () => 100,
    },
    errors: {
      label: t`Errors (4xx and 5xx)`,
      of: errorRate,
      write: (rate) => percent(rate, rate < 10 ? 1 : 0),
      isRate: true,
      max: (values) => Math.max(ERRORS_DRAWN_MIN, ...values.map((value) => value ?? 0)),
    },
  };
}
