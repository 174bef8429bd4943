import { Trans } from '@lingui/react/macro';
import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { Site } from '#server/services/sites/schema.ts';

/** Says that an operator keeps a site from being served, and why. Nothing for any other. */
export function SiteSuspension({ site }: { site: Site }) {
  if (site.suspended_at === null) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconLock size={18} aria-hidden />}
      role="status"
      mb="lg"
      title={<Trans>This site is suspended</Trans>}
    >
      <Text size="sm" fw={500} mb={4} style={{ overflowWrap: 'anywhere' }}>
        {site.suspension_reason}
      </Text>
      <Text size="sm">
        <Trans>
          Visitors get a plain page at its address, its previews and its hostnames. Everything else works as
          before; whoever runs this installation can lift the suspension.
        </Trans>
      </Text>
    </Alert>
  );
}
