import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Skeleton, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { cacheHitRate } from '#server/services/usage/rules.ts';
import type { UsageOverview } from '#server/services/usage/schema.ts';
import { LoadMore } from '../../../components/lists/load-more.tsx';
import { SearchField } from '../../../components/lists/search-field.tsx';
import { useShownRows } from '../../../components/lists/use-shown-rows.ts';
import { formatBytes } from '../../../i18n/formats/format-bytes.ts';
import { RESOURCES_AT_FIRST } from '../usage-range.ts';
import { arrangeResources, errorsOf } from './arrange-resources.ts';
import { DEFAULT_SORT, nextSort, type TableSort } from './table-sort.ts';
import { UsageRow } from './usage-row.tsx';
import classes from './usage-table.module.css';
import { UsageTableHead } from './usage-table-head.tsx';

/** With fewer rows there is no need to search. */
const SEARCH_FROM = 8;

/** The part of the address about a table. */
export interface TableView {
  search?: string | undefined;
  sort?: TableSort | undefined;
}

/**
 * What each endpoint, and each site at its platform names, served in a range: sorted by any column, by
 * default by bytes, with a search. `onView` is called with changes of the view; undefined is the default.
 */
export function UsageTable(props: {
  /** Its resources may be the first of more. */
  overview: UsageOverview;
  isLoadingAll: boolean;
  onLoadAll: () => void;
  organizationId: string;
  view: TableView;
  onView: (change: TableView) => void;
}) {
  const { t, i18n } = useLingui();
  const { overview, isLoadingAll, onLoadAll, organizationId, view, onView } = props;
  const { resources, resource_count: count, summary } = overview;
  const { search = '', sort = DEFAULT_SORT } = view;
  const { shownMax, showMore, reset } = useShownRows(RESOURCES_AT_FIRST);
  const found = useMemo(
    () => arrangeResources(resources, { search, sort }, i18n.locale),
    [resources, search, sort, i18n.locale],
  );
  // Below a part of the rows, a total would be misread as theirs.
  const hasTotal = found.length === count && found.length <= shownMax && found.length > 1;
  const hasMore = found.length > shownMax || resources.length < count;
  const sortBy = (column: Parameters<typeof nextSort>[1]) => {
    const next = nextSort(sort, column);
    reset();
    onView({ sort: next === DEFAULT_SORT ? undefined : next });
  };
  return (
    <div>
      {(count >= SEARCH_FROM || search !== '') && (
        <div className={classes.search}>
          <SearchField
            label={t`Search endpoints and sites`}
            value={search}
            onSearch={(text) => {
              reset();
              onView({ search: text || undefined });
            }}
          />
        </div>
      )}
      <Card padding={0} className={classes.card} aria-busy={isLoadingAll}>
        {found.length === 0 && !hasMore ? (
          <Text c="dimmed" size="sm" ta="center" py="xl" role="status">
            <Trans>No endpoint or site matches “{search}”.</Trans>
          </Text>
        ) : (
          <table className={classes.table} aria-label={t`Usage by endpoint and site`}>
            <UsageTableHead sort={sort} onSort={sortBy} />
            <tbody>
              {found.slice(0, shownMax).map((row) => (
                <UsageRow
                  key={row.cdn_endpoint_id ?? row.site_id}
                  row={row}
                  wholeBytes={summary.total_bytes_sent}
                  organizationId={organizationId}
                />
              ))}
            </tbody>
            {hasTotal && <TotalRow summary={summary} />}
          </table>
        )}
        <LoadMore
          hasMore={hasMore}
          isLoading={isLoadingAll}
          onLoad={() => {
            if (resources.length < count) onLoadAll();
            showMore();
          }}
        />
      </Card>
    </div>
  );
}

/** The total of all rows. */
function TotalRow({ summary }: { summary: UsageOverview['summary'] }) {
  const { t, i18n } = useLingui();
  const rate = cacheHitRate(summary.total_cache_hits, summary.total_cache_misses);
  return (
    <tfoot>
      <tr className={classes.row}>
        <th scope="row" className={classes.name}>
          <Trans>Total</Trans>
        </th>
        <td className={classes.figure} data-name={t`Requests`}>
          {i18n.number(summary.total_requests)}
        </td>
        <td className={classes.figure} data-name={t`Bandwidth`}>
          {formatBytes(summary.total_bytes_sent, i18n.locale)}
        </td>
        <td className={classes.share} />
        <td className={classes.figure} data-name={t`Cache hit rate`}>
          {rate === null ? '–' : i18n.number(rate / 100, { style: 'percent' })}
        </td>
        <td className={classes.figure} data-name={t`Errors`}>
          {i18n.number(errorsOf(summary))}
        </td>
      </tr>
    </tfoot>
  );
}

/** The table before its rows. */
export function UsageTableSkeleton(): ReactNode {
  return (
    <Card padding={0} className={classes.card}>
      <table className={classes.table}>
        <UsageTableHead sort={DEFAULT_SORT} onSort={() => undefined} />
        <tbody>
          {[180, 140, 165, 120].map((width) => (
            <tr key={width} className={classes.row}>
              <td className={classes.name}>
                <Skeleton height={14} width={width} maw="100%" my={5} />
              </td>
              {[48, 64].map((figure) => (
                <td key={figure} className={classes.figure}>
                  <Skeleton height={12} width={figure} ml="auto" />
                </td>
              ))}
              <td className={classes.share}>
                <Skeleton height={6} />
              </td>
              {[32, 24].map((figure) => (
                <td key={figure} className={classes.figure}>
                  <Skeleton height={12} width={figure} ml="auto" />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
