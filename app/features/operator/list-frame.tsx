import { Trans, useLingui } from '@lingui/react/macro';
import { Box, Card, Group, NativeSelect, Skeleton, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadMorePages, type PagedQuery } from '../../components/lists/load-more.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import classes from './operator.module.css';

const route = getRouteApi('/operator');

/** A paged list that is read again when its filters change. */
interface NarrowedQuery extends PagedQuery {
  isPending: boolean;
  isFetching: boolean;
  isPlaceholderData: boolean;
  error: unknown;
  refetch: () => unknown;
}

/**
 * A list with search and filters in the address, in all states: loading, failed, nothing found, rows, further
 * pages.
 */
export function ListFrame(props: {
  label: string;
  searchLabel: string;
  states: { value: string; label: string }[];
  query: NarrowedQuery;
  isEmpty: boolean;
  /** What an empty list means when nothing was searched for. */
  empty?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useLingui();
  const { label, query } = props;
  const { search, state } = route.useSearch();
  const navigate = route.useNavigate();
  const describe = useErrorMessage();
  const narrow = (change: { search?: string | undefined; state?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  return (
    <>
      <Group mb="md" gap="sm">
        <Box flex="1 1 14rem" maw={360}>
          <SearchField
            label={props.searchLabel}
            value={search ?? ''}
            onSearch={(text) => narrow({ search: text || undefined })}
          />
        </Box>
        <NativeSelect
          aria-label={t`State`}
          value={state ?? ''}
          onChange={(event) => narrow({ state: event.currentTarget.value || undefined })}
          data={[{ value: '', label: t`All states` }, ...props.states]}
        />
      </Group>
      {query.isPending ? (
        <Card role="status" aria-busy>
          <span className="visually-hidden">
            <Trans>Loading</Trans>
          </span>
          {['60%', '45%', '52%'].map((width) => (
            <Skeleton key={width} height={16} width={width} my="md" />
          ))}
        </Card>
      ) : query.error && props.isEmpty ? (
        <ErrorNotice onRetry={query.refetch}>{describe(query.error)}</ErrorNotice>
      ) : (
        <Card padding={0} aria-busy={query.isPlaceholderData}>
          {props.isEmpty ? (
            <Text c="dimmed" size="sm" ta="center" p="xl" role="status">
              {!search && props.empty ? props.empty : <Trans>Nothing matches.</Trans>}
            </Text>
          ) : (
            <ul className={classes.list} aria-label={label}>
              {props.children}
            </ul>
          )}
          <LoadMorePages query={query} />
        </Card>
      )}
    </>
  );
}
