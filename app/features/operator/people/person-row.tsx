import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import type { PersonForOperator } from '#server/services/people/schema.ts';
import { TimeAgo } from '../../../components/dates/time-ago.tsx';
import { RowBadge } from '../../../components/lists/row-badge.tsx';
import { trpc } from '../../../trpc.ts';
import classes from '../operator.module.css';
import { useAct } from '../use-act.ts';

/** A person as operators see them; with `mayChange`, with the actions for them. */
export function PersonRow(props: {
  person: PersonForOperator;
  mayChange: boolean;
  onBlock: () => void;
  onDelete: () => void;
}) {
  const { person } = props;
  return (
    <li className={classes.row}>
      <div className={classes.name}>
        <Text size="sm" fw={500} className={classes.words}>
          <bdi>{person.full_name || person.login}</bdi>{' '}
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
      {props.mayChange && <PersonActions {...props} />}
    </li>
  );
}

function PersonActions(props: { person: PersonForOperator; onBlock: () => void; onDelete: () => void }) {
  const { person, onBlock, onDelete } = props;
  const { t } = useLingui();
  const utils = trpc.useUtils();
  const unblock = trpc.operator.unblockPerson.useMutation();
  const signOut = trpc.operator.signOutPerson.useMutation();
  const act = useAct(() => utils.operator.people.invalidate());
  const name = person.full_name || person.login;
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        aria-label={t({ context: 'person', message: `Sign out ${name}` })}
        onClick={() =>
          void act(signOut.mutateAsync({ person: person.id }), t`${name} is signed out everywhere`)
        }
      >
        <Trans context="person">Sign out</Trans>
      </Button>
      {person.blocked_at === null ? (
        <Button size="xs" variant="default" aria-label={t`Block ${name}`} onClick={onBlock}>
          <Trans>Block</Trans>
        </Button>
      ) : (
        <Button
          size="xs"
          variant="default"
          aria-label={t`Unblock ${name}`}
          onClick={() => void act(unblock.mutateAsync({ person: person.id }), t`${name} can sign in again`)}
        >
          <Trans>Unblock</Trans>
        </Button>
      )}
      <Button
        size="xs"
        variant="subtle"
        color="red"
        aria-label={t({ context: 'person', message: `Delete ${name}` })}
        onClick={onDelete}
      >
        <Trans>Delete</Trans>
      </Button>
    </Group>
  );
}
