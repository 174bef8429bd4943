import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import type { Bucket } from '#server/services/storage/schema.ts';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { useSettings } from '../../../use-settings.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import ClientChoice from './client-choice.tsx';
import { endpointForPrograms, KEY_PLACEHOLDERS } from './client-lines.ts';

/** How S3 clients reach a bucket: its address, and commands to paste for each of them. */
export default function ClientGuide({ bucket }: { bucket: Bucket }) {
  const { t } = useLingui();
  const endpoint = endpointForPrograms(useSettings().s3Url);
  const { organization, can } = useOrganization();
  return (
    <Stack gap="md">
      <Alert color="lake" icon={<IconKey size={18} aria-hidden />} role="note">
        {can('credential.manage') ? (
          <Trans>
            Every client needs a credential with access to this bucket.{' '}
            <AnchorLink
              to="/$orgId/credentials"
              params={{ orgId: organization.id }}
              search={{ create: true, bucket: bucket.id }}
              underline="always"
              inherit
            >
              Create one under Credentials
            </AnchorLink>{' '}
            and put its two keys where the dots are.
          </Trans>
        ) : (
          <Trans>
            Every client needs a credential with access to this bucket. Ask someone with the Admin permission
            in this organization for one, and put its two keys where the dots are.
          </Trans>
        )}
      </Alert>
      <div>
        <Text size="sm" fw={500} mb={4}>
          <Trans>Endpoint</Trans>
        </Text>
        <CopyLine value={endpoint} label={t`Copy the endpoint`} />
      </div>
      <ClientChoice target={{ region: bucket.region, bucket: bucket.name, ...KEY_PLACEHOLDERS }} />
    </Stack>
  );
}
