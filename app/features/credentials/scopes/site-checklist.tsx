import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData } from '@tanstack/react-query';
import { memo } from 'react';
import { searchedRows } from '../../../components/lists/searched-rows.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { Checklist, type ChecklistProps, type Choice, useChecklistSearch } from './checklist.tsx';

/** A change renders every box shown; whoever has more sites searches. */
const PAGE_SIZE = 50;

/** The organization's sites with checkboxes. Typing in another field of the form does not render it again. */
export const SiteChecklist = memo(function SiteChecklist(
  props: ChecklistProps<Choice> & {
    /** Whether the dialog around it begins here. */
    isFirst?: boolean;
  },
) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const search = useChecklistSearch();
  const searched = search.search || undefined;
  const pages = trpc.sites.list.useInfiniteQuery(
    { organization_id: organization.id, limit: PAGE_SIZE, search: searched },
    { getNextPageParam: (page) => page.next_cursor, placeholderData: keepPreviousData },
  );
  return (
    <Checklist<Choice>
      {...props}
      title={<Trans>Sites</Trans>}
      searchLabel={t`Search sites`}
      nothingFound={<Trans>No site matches.</Trans>}
      nothingThere={<Trans>There are no sites yet.</Trans>}
      labelOf={({ name }) => name}
      search={search}
      pages={pages}
      offered={searchedRows(pages, searched).rows}
      skeletons={3}
    />
  );
});
