import { Trans, useLingui } from '@lingui/react/macro';
import { Card, Table, Text } from '@mantine/core';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { TimeAgo } from '../../components/time-ago.tsx';

/** Host name, origin and last change of each endpoint. */
export function EndpointTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const { t } = useLingui();
  return (
    <Card padding={0}>
      {/* A table too wide for a phone scrolls inside its card, by keyboard too. */}
      <Table.ScrollContainer minWidth={480} tabIndex={0} role="region" aria-label={t`CDN endpoints`}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <Trans>Hostname</Trans>
              </Table.Th>
              <Table.Th>
                <Trans>Origin</Trans>
              </Table.Th>
              <Table.Th>
                <Trans>Updated</Trans>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {endpoints.map((endpoint) => (
              <Table.Tr key={endpoint.id}>
                <Table.Td>
                  <Text size="sm" fw={500}>
                    {endpoint.hostname}
                  </Text>
                </Table.Td>
                <Table.Td>{originOf(endpoint)}</Table.Td>
                <Table.Td>
                  <TimeAgo instant={endpoint.updated_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function originOf(endpoint: Endpoint): string {
  return endpoint.site_name ?? endpoint.redirect_target ?? '–';
}
