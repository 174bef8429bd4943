import { Trans, useLingui } from '@lingui/react/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useState } from 'react';
import type { Credential } from '#server/services/credentials/schema.ts';

/** A credential may reach hundreds of resources: more than these are shown on demand. */
const SHOWN_AT_FIRST = 12;

/** The scopes of a credential, resource type and name of each, and whether it may create buckets. */
export function ScopeChips({
  credential,
}: {
  credential: Pick<Credential, 'scopes' | 'may_create_buckets'>;
}) {
  const { scopes, may_create_buckets: mayCreateBuckets } = credential;
  const { t, i18n } = useLingui();
  const [isWhole, setWhole] = useState(false);
  if (scopes.length === 0 && !mayCreateBuckets) {
    return (
      <Group gap={6} mt="sm" wrap="nowrap" c="var(--mantine-color-yellow-text)">
        <IconAlertTriangle size={17} stroke={1.8} aria-hidden style={{ flex: 'none' }} />
        <Text size="sm" fw={550}>
          <Trans>No access: no resource is selected.</Trans>
        </Text>
      </Group>
    );
  }
  const hasMore = scopes.length > SHOWN_AT_FIRST;
  const count = i18n.number(scopes.length);
  const typeNames = { site: t`site`, bucket: t`bucket` };
  return (
    <Group component="ul" gap={6} mt="sm" mb={0} p={0} aria-label={t`Scopes`} style={{ listStyle: 'none' }}>
      {(isWhole ? scopes : scopes.slice(0, SHOWN_AT_FIRST)).map((scope) => (
        <li key={`${scope.resource_type} ${scope.resource_id}`} style={{ maxWidth: '100%' }}>
          <Badge size="lg" maw="100%" h="auto" mih={26} py={3} fz="xs" classNames={{ label: 'whole-name' }}>
            <Text span inherit c="dimmed" mr={3}>
              {typeNames[scope.resource_type]}
            </Text>{' '}
            {scope.resource_name ?? t`deleted`}
          </Badge>
        </li>
      ))}
      {hasMore && (
        <li>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-expanded={isWhole}
            onClick={() => setWhole(!isWhole)}
          >
            {isWhole ? <Trans>Show fewer</Trans> : <Trans>Show all {count} resources</Trans>}
          </Button>
        </li>
      )}
      {mayCreateBuckets && (
        <li>
          <Badge size="lg" fz="xs" variant="outline">
            <Trans>creates buckets</Trans>
          </Badge>
        </li>
      )}
    </Group>
  );
}
