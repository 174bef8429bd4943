import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots, IconTrash } from '@tabler/icons-react';
import { useRouter } from '@tanstack/react-router';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { useDeleteEndpoint } from './use-delete-endpoint.tsx';

/** What else can be done with the endpoint of the page; `onLeaving` hears that it is being deleted, or is not after all. */
export function EndpointActions(props: { endpoint: Endpoint; onLeaving: (isLeaving: boolean) => void }) {
  const { endpoint, onLeaving } = props;
  const { t } = useLingui();
  const router = useRouter();
  const { organization } = useOrganization();
  const reason = usePermissionReason()('endpoint.delete');
  const deleteEndpoint = useDeleteEndpoint();
  const remove = async () => {
    onLeaving(true);
    const isGone = await deleteEndpoint(endpoint);
    if (!isGone) onLeaving(false);
    else await router.navigate({ to: '/$orgId/cdn', params: { orgId: organization.id } });
  };
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
          onClick={() => void remove()}
        >
          <Trans>Delete endpoint</Trans>
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
