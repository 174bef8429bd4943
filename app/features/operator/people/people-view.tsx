import { Trans, useLingui } from '@lingui/react/macro';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { PersonForOperator } from '#server/services/people/schema.ts';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { trpc } from '../../../trpc.ts';
import { ListFrame } from '../list-frame.tsx';
import { ReasonDialog } from '../reason-dialog.tsx';
import { DeletePersonDialog } from './delete-person-dialog.tsx';
import { PersonRow } from './person-row.tsx';

const route = getRouteApi('/operator');
const STATES = ['active', 'blocked'] as const;

/** Everyone who has signed in or has an account, with the actions for them. */
export function PeopleView({ mayChange }: { mayChange: boolean }) {
  const { t } = useLingui();
  const { search, state } = route.useSearch();
  const utils = trpc.useUtils();
  const [blocking, setBlocking] = useState<PersonForOperator | null>(null);
  const [deleting, setDeleting] = useState<PersonForOperator | null>(null);
  const people = trpc.operator.people.useInfiniteQuery(
    { search, state: STATES.find((known) => known === state) },
    { getNextPageParam: (page) => page.next_cursor ?? undefined, placeholderData: keepPreviousData },
  );
  const block = trpc.operator.blockPerson.useMutation();
  const rows = people.data?.pages.flatMap((page) => page.items) ?? [];

  return (
    <>
      <ListFrame
        label={t`People`}
        searchLabel={t`Search people`}
        states={[
          { value: 'active', label: t({ context: 'people', message: 'Active' }) },
          { value: 'blocked', label: t({ context: 'people', message: 'Blocked' }) },
        ]}
        query={people}
        isEmpty={rows.length === 0}
      >
        {rows.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            mayChange={mayChange}
            onBlock={() => setBlocking(person)}
            onDelete={() => setDeleting(person)}
          />
        ))}
      </ListFrame>
      {deleting && <DeletePersonDialog person={deleting} onClosed={() => setDeleting(null)} />}
      {blocking && (
        <ReasonDialog
          title={t`Block ${blocking.full_name || blocking.login}?`}
          explanation={
            <Trans>
              Every session ends immediately and this account can no longer sign in. The person’s
              organizations keep working, credentials included.
            </Trans>
          }
          readers={t`For operators only: the person sees only that the account is blocked.`}
          confirm={t`Block`}
          onConfirm={async (reason) => {
            await block.mutateAsync({ person: blocking.id, reason });
            notifySuccess(t`${blocking.full_name || blocking.login} is blocked`);
            await utils.operator.people.invalidate();
          }}
          onClosed={() => setBlocking(null)}
        />
      )}
    </>
  );
}
