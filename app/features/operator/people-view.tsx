import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { PersonForOperator } from '#server/services/people/schema.ts';
import { notifySuccess } from '../../components/notify.ts';
import { RowBadge } from '../../components/row-badge.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { trpc } from '../../trpc.ts';
import { DeletePersonDialog } from './delete-person-dialog.tsx';
import { ListFrame } from './list-frame.tsx';
import classes from './operator.module.css';
import { ReasonDialog } from './reason-dialog.tsx';
import { useAct } from './use-act.ts';

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
  const unblock = trpc.operator.unblockPerson.useMutation();
  const signOut = trpc.operator.signOutPerson.useMutation();
  const rows = people.data?.pages.flatMap((page) => page.items) ?? [];

  const act = useAct(() => utils.operator.people.invalidate());

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
        {rows.map((person) => {
          const name = person.full_name || person.login;
          return (
            <li key={person.id} className={classes.row}>
              <div className={classes.name}>
                <Text size="sm" fw={500} className={classes.words}>
                  <bdi>{name}</bdi>{' '}
                  {person.operator_access !== null && (
                    <RowBadge colour="lake">
                      <Trans>Operator</Trans>
                    </RowBadge>
                  )}{' '}
                  {person.blocked_at !== null && (
                    <RowBadge colour="red">
                      <Trans context="person">Blocked</Trans>
                    </RowBadge>
                  )}
                </Text>
                <Text size="xs" c="dimmed" className={classes.words}>
                  {person.login} · {person.email} · <TimeAgo instant={person.created_at} />
                </Text>
                {person.blocked_reason !== null && (
                  <Text size="xs" className={classes.words}>
                    {person.blocked_reason}
                  </Text>
                )}
              </div>
              {mayChange && (
                <>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t({ context: 'person', message: `Sign out ${name}` })}
                    onClick={() =>
                      void act(
                        signOut.mutateAsync({ person: person.id }),
                        t`${name} is signed out everywhere`,
                      )
                    }
                  >
                    <Trans context="person">Sign out</Trans>
                  </Button>
                  {person.blocked_at === null ? (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t`Block ${name}`}
                      onClick={() => setBlocking(person)}
                    >
                      <Trans>Block</Trans>
                    </Button>
                  ) : (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t`Unblock ${name}`}
                      onClick={() =>
                        void act(unblock.mutateAsync({ person: person.id }), t`${name} can sign in again`)
                      }
                    >
                      <Trans>Unblock</Trans>
                    </Button>
                  )}
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={t({ context: 'person', message: `Delete ${name}` })}
                    onClick={() => setDeleting(person)}
                  >
                    <Trans>Delete</Trans>
                  </Button>
                </>
              )}
            </li>
          );
        })}
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
