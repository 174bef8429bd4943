import { useLingui } from '@lingui/react/macro';
import { formatBytes, formatBytesLike } from '../../../i18n/formats/format-bytes.ts';
import { formatCount } from '../../../i18n/formats/format-count.ts';
import type { ChartKind, ChartSeries } from './chart-series.ts';

/** Returns the texts of a chart of this kind, in the language of the page. */
export function useChartWords(kind: ChartKind) {
  const { t, i18n } = useLingui();
  const { locale } = i18n;
  const seriesNames: Record<ChartSeries, string> = {
    total_status_2xx: t`2xx success`,
    total_status_3xx: t`3xx redirects`,
    total_status_4xx: t`4xx client errors`,
    total_status_5xx: t`5xx server errors`,
    total_bytes_sent: t`Bandwidth`,
    total_cache_hits: t`Cache hits`,
    total_cache_misses: t`Cache misses`,
  };
  const captions: Record<ChartKind, string> = {
    requests: t`Requests by status class; days and hours in UTC`,
    bandwidth: t`Bandwidth; days and hours in UTC`,
    cache: t`Requests by cache; days and hours in UTC`,
  };
  const isBytes = kind === 'bandwidth';
  const number = new Intl.NumberFormat(locale);
  const bytes = new Intl.NumberFormat(locale, { style: 'unit', unit: 'byte', unitDisplay: 'long' });
  return {
    seriesNames,
    /** What the chart shows. */
    caption: captions[kind],
    total: t`Total`,
    /** Short, for an axis up to the highest value. */
    formatShort: (value: number, highest: number) =>
      isBytes ? formatBytesLike(highest, value, locale) : formatCount(value, locale),
    /** In full. */
    formatFull: (value: number) => (isBytes ? formatBytes(value, locale) : number.format(value)),
    /** To the byte; null for what is counted in full anyway. */
    formatExact: (value: number) => (isBytes ? bytes.format(value) : null),
  };
}
