import { Trans, useLingui } from '@lingui/react/macro';
import { Menu } from '@mantine/core';
import { IconCheck, IconCopy, IconExternalLink, IconSettings } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { useCopy } from '../../../components/copying/use-copy.ts';
import { useOpenOnArrival } from '../../../components/lazy-parts/use-on-intent.ts';
import { MenuItemLink } from '../../../components/menus/menu-item-link.tsx';
import { RemovalMenuItem } from '../../../components/menus/removal-menu-item.tsx';
import { NewTabHint } from '../../../components/new-tab-hint.tsx';
import { useOrganization } from '../../organizations/use-organization.ts';
import { usePermissionReason } from '../../organizations/use-permission-reason.ts';
import { useDeleteEndpoint } from '../use-delete-endpoint.tsx';
import { EndpointMenuButton } from './endpoint-menu.tsx';

/** The menu of an endpoint, initially open: its page, its address, its CNAME target, and Delete. */
export default function OpenEndpointMenu({ endpoint }: { endpoint: Endpoint }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const [isOpen, setOpen] = useState(false);
  const button = useOpenOnArrival(useCallback(() => setOpen(true), []));
  const [isCopied, copy] = useCopy();
  const deleteReason = usePermissionReason()('endpoint.delete');
  const deleteEndpoint = useDeleteEndpoint();
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={230}
      withinPortal={false}
      returnFocus
    >
      <Menu.Target>
        <EndpointMenuButton ref={button} hostname={endpoint.hostname} />
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItemLink
          component="a"
          to="/$orgId/endpoints/$endpointId"
          params={{ orgId: organization.id, endpointId: endpoint.id }}
          leftSection={<IconSettings size={16} stroke={1.6} aria-hidden />}
        >
          <Trans>Open</Trans>
        </MenuItemLink>
        {endpoint.proven_at !== null && (
          <Menu.Item
            component="a"
            href={endpoint.url}
            target="_blank"
            rel="noreferrer"
            leftSection={<IconExternalLink size={16} stroke={1.6} aria-hidden />}
          >
            <Trans>Visit</Trans>
            <NewTabHint />
          </Menu.Item>
        )}
        <Menu.Item
          closeMenuOnClick={false}
          onClick={() => void copy(endpoint.cname_target)}
          leftSection={
            isCopied ? (
              <IconCheck size={16} stroke={2} color="var(--mantine-color-green-text)" aria-hidden />
            ) : (
              <IconCopy size={16} stroke={1.6} aria-hidden />
            )
          }
        >
          {isCopied ? <Trans>Copied</Trans> : <Trans>Copy CNAME target</Trans>}
        </Menu.Item>
        <Menu.Divider />
        <RemovalMenuItem reason={deleteReason} onRemove={() => void deleteEndpoint(endpoint)}>
          <Trans>Delete endpoint</Trans>
        </RemovalMenuItem>
      </Menu.Dropdown>
      <span className="visually-hidden" role="status">
        {isCopied ? t`Copied` : ''}
      </span>
    </Menu>
  );
}
