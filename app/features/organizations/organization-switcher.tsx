import { Trans, useLingui } from '@lingui/react/macro';
import { Avatar, Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { isPersonal } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { PERMISSION_NAMES } from '../../i18n/permission-names.ts';
import { readError } from '../../i18n/read-error.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import classes from './organization-switcher.module.css';
import { useOrganization, useUser } from './use-organization.ts';

/**
 * Lists every organization, the current one ticked. Switching keeps the rest of the path and adds no history entry; it is
 * disabled while a switch is in progress, closes on success, and shows a failure inside, in red.
 */
export function OrganizationSwitcher() {
  const { i18n, t } = useLingui();
  const { organization } = useOrganization();
  const user = useUser();
  const router = useRouter();
  const pathname = useLocation({ select: (location) => location.pathname });
  const [isOpen, setOpen] = useState(false);
  const memberships = trpc.organizations.list.useQuery();
  const setContext = trpc.organizations.setContext.useMutation();
  const describe = useErrorMessage();
  const personalName = user.full_name || user.login;

  const switchTo = async (membership: Membership) => {
    await setContext.mutateAsync({ organization_id: membership.organization.id });
    const rest = pathname.split('/').slice(2).join('/');
    await router.navigate({
      href: `/${membership.organization.id}${rest === '' ? '' : `/${rest}`}`,
      replace: true,
    });
    setOpen(false);
  };
  const nameOf = (entry: Membership['organization']) =>
    isPersonal(entry.external_id) ? personalName : entry.name;

  const currentName = nameOf(organization);

  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={288}
      closeOnItemClick={false}
      withinPortal={false}
    >
      <Menu.Target>
        <UnstyledButton
          className={classes.target}
          disabled={setContext.isPending}
          aria-label={t`Switch organization: ${currentName}`}
        >
          <Text size="sm" fw={500} truncate maw="12rem">
            {currentName}
          </Text>
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {(memberships.data ?? []).map((membership) => {
          const entry = membership.organization;
          const isCurrent = entry.id === organization.id;
          const detail = isPersonal(entry.external_id)
            ? t`Personal`
            : i18n._(PERMISSION_NAMES[membership.permission]);
          return (
            <Menu.Item
              key={entry.id}
              disabled={setContext.isPending}
              aria-current={isCurrent ? 'true' : undefined}
              leftSection={
                <Avatar src={entry.avatar_url} name={nameOf(entry)} size={28} radius="sm" alt="" />
              }
              rightSection={isCurrent ? <IconCheck size={16} aria-label={t`Current`} /> : null}
              onClick={() => (isCurrent ? setOpen(false) : void switchTo(membership).catch(() => undefined))}
            >
              <Text size="sm" truncate maw="11rem">
                {nameOf(entry)}
              </Text>
              <Text size="xs" c="dimmed">
                {detail}
              </Text>
            </Menu.Item>
          );
        })}
        {setContext.error && (
          <Text size="sm" c="red" p="xs" role="alert">
            {readError(setContext.error) ? (
              describe(setContext.error)
            ) : (
              <Trans>Failed to switch organization</Trans>
            )}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
