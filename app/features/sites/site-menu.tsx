import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconTrash } from '@tabler/icons-react';
import type { Site } from '#server/services/sites/schema.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { useDeleteSite } from './use-delete-site.tsx';

/** What else can be done with a site. */
export function SiteMenu({ site }: { site: Site }) {
  const { t } = useLingui();
  const reason = usePermissionReason()('site.delete');
  const deleteSite = useDeleteSite(site);
  return (
    <Menu position="bottom-end" width={240} withinPortal={false} returnFocus>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t`More actions`}>
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={reason !== null}
          leftSection={<IconTrash size={16} stroke={1.6} color="var(--mantine-color-red-text)" aria-hidden />}
          onClick={() => void deleteSite()}
        >
          <Trans>Delete site</Trans>
        </Menu.Item>
        {reason && (
          <Text size="xs" c="dimmed" px="sm" pb="xs">
            {reason}
          </Text>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
