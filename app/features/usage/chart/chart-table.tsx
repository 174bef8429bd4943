import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Table, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsagePoint } from '#server/services/usage/schema.ts';
import { formatPoint, type Granularity } from './chart-dates.ts';
import { barOf, CHART_SERIES, type ChartKind } from './chart-series.ts';
import classes from './usage-chart.module.css';
import { useChartWords } from './use-chart-words.ts';

interface ChartTableProps {
  points: readonly UsagePoint[];
  granularity: Granularity;
  kind: ChartKind;
}

/** The numbers of a chart as a table, behind a button; in print it is always shown. */
export function ChartTable(props: ChartTableProps) {
  const { t } = useLingui();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { caption } = useChartWords(props.kind);
  return (
    <div className={classes.tabulated}>
      <UnstyledButton
        className={classes.toggle}
        aria-expanded={isOpen}
        aria-controls={id}
        // There may be several charts.
        aria-label={t`Show as table: ${caption}`}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} stroke={2} aria-hidden />
        <Trans>Show as table</Trans>
      </UnstyledButton>
      <Box
        id={id}
        className={classes.scroller}
        data-open={isOpen || undefined}
        // It scrolls, so it can be focused for the arrow keys.
        tabIndex={0}
        role="region"
        aria-label={caption}
      >
        <FigureTable {...props} />
      </Box>
    </div>
  );
}

function FigureTable({ points, granularity, kind }: ChartTableProps) {
  const { t, i18n } = useLingui();
  const { seriesNames, caption, total, formatFull } = useChartWords(kind);
  const series = CHART_SERIES[kind];
  const isSplit = series.length > 1;
  const rate = (of: readonly UsagePoint[]) => {
    const sum = (name: 'total_cache_hits' | 'total_cache_misses') =>
      of.reduce((before, point) => before + point[name], 0);
    const percent = cacheHitRate(sum('total_cache_hits'), sum('total_cache_misses'));
    return percent === null ? '–' : i18n.number(percent / 100, { style: 'percent' });
  };
  const cellsOf = (of: readonly UsagePoint[]) => (
    <>
      {series.map((name) => (
        <Table.Td key={name}>{formatFull(of.reduce((sum, point) => sum + point[name], 0))}</Table.Td>
      ))}
      {isSplit && <Table.Td>{formatFull(of.reduce((sum, point) => sum + barOf(kind, point), 0))}</Table.Td>}
      {kind === 'cache' && <Table.Td>{rate(of)}</Table.Td>}
    </>
  );
  return (
    <Table className={classes.table} verticalSpacing={6} horizontalSpacing="sm">
      <Table.Caption className="visually-hidden">{caption}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{granularity === 'day' ? t`Day` : t`Hour`}</Table.Th>
          {series.map((name) => (
            <Table.Th key={name} scope="col">
              {seriesNames[name]}
            </Table.Th>
          ))}
          {isSplit && <Table.Th scope="col">{total}</Table.Th>}
          {kind === 'cache' && <Table.Th scope="col">{t`Cache hit rate`}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {points.map((point) => (
          <Table.Tr key={point.date}>
            <Table.Th scope="row">{formatPoint(point.date, granularity, i18n.locale)}</Table.Th>
            {cellsOf([point])}
          </Table.Tr>
        ))}
      </Table.Tbody>
      <Table.Tfoot>
        <Table.Tr>
          <Table.Th scope="row">{total}</Table.Th>
          {cellsOf(points)}
        </Table.Tr>
      </Table.Tfoot>
    </Table>
  );
}
