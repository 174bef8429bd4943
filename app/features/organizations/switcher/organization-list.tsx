import { Trans, useLingui } from '@lingui/react/macro';
import { Loader, Text, TextInput, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { isPersonal } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { matchesQuery } from '#server/services/shared/search-rules.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { FOCUS_STOP } from '../../../components/focus/move-focus.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { useMemberships } from '../memberships-provider.tsx';
import { nameOfOrganization } from '../name-of-organization.ts';
import classes from './organization-switcher.module.css';

/** With fewer organizations than this, scanning is quicker than searching. */
const SEARCH_FROM = 8;

/** Every organization of the person with the permission there; many can be searched. */
export function OrganizationList(props: {
  pendingId: string | null;
  error: unknown;
  onChoose: (organizationId: string) => void;
}) {
  const { t } = useLingui();
  const { user, memberships, membership: current } = useMemberships();
  const describe = useErrorMessage();
  const [query, setQuery] = useState('');
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => centreCurrent(list.current), []);
  const found = memberships.filter(({ organization }) =>
    matchesQuery(query, nameOfOrganization(organization, user)),
  );
  const [first] = found;
  const chooseFirst = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || query.trim() === '' || !first) return;
    event.preventDefault();
    props.onChoose(first.organization.id);
  };
  return (
    <>
      {memberships.length >= SEARCH_FROM && (
        <TextInput
          className={classes.search}
          size="sm"
          aria-label={t`Search organizations`}
          placeholder={t`Search organizations`}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={chooseFirst}
          data-autofocus
          {...FOCUS_STOP}
        />
      )}
      {found.length === 0 && (
        <Text size="sm" c="dimmed" p="xs" role="status">
          <Trans>Nothing matches.</Trans>
        </Text>
      )}
      <ul ref={list} className={classes.list}>
        {found.map((membership) => (
          <li key={membership.organization.id}>
            <Entry
              membership={membership}
              isCurrent={membership.organization.id === current?.organization.id}
              pendingId={props.pendingId}
              onChoose={props.onChoose}
            />
          </li>
        ))}
      </ul>
      {props.error !== null && (
        <Text size="sm" c="red" p="xs" role="alert">
          {readError(props.error) ? describe(props.error) : <Trans>Failed to switch organization</Trans>}
        </Text>
      )}
    </>
  );
}

/** Scrolls a long list, and nothing around it, to the current organization. */
function centreCurrent(list: HTMLElement | null): void {
  const current = list?.querySelector<HTMLElement>('li:has([aria-current])');
  if (!list || !current) return;
  list.scrollTop = current.offsetTop - list.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
}

function Entry(props: {
  membership: Membership;
  isCurrent: boolean;
  pendingId: string | null;
  onChoose: (organizationId: string) => void;
}) {
  const { i18n, t } = useLingui();
  const { user } = useMemberships();
  const { membership, isCurrent, pendingId } = props;
  const { organization, permission } = membership;
  const name = nameOfOrganization(organization, user);
  const isSwitching = pendingId !== null;
  return (
    <UnstyledButton
      className={classes.entry}
      title={name}
      aria-current={isCurrent ? 'true' : undefined}
      // Not `disabled`: the focus would be lost, and with it the way back after a failure.
      aria-disabled={isSwitching || undefined}
      onClick={() => {
        if (!isSwitching) props.onChoose(organization.id);
      }}
      {...FOCUS_STOP}
    >
      <Avatar src={organization.avatar_url} name={name} size={28} radius="sm" isNeutral />
      <span className={classes.text}>
        <span className={classes.name}>{name}</span>
        <Text size="xs" c="dimmed" component="span" display="block">
          {isPersonal(organization.external_id) ? t`Personal` : i18n._(PERMISSION_NAMES[permission])}
        </Text>
      </span>
      {pendingId === organization.id && <Loader size={16} aria-hidden />}
      {isCurrent && <IconCheck size={16} aria-label={t`Current`} role="img" style={{ flex: 'none' }} />}
    </UnstyledButton>
  );
}
