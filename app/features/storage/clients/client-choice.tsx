import { useLingui } from '@lingui/react/macro';
import { NativeSelect, Stack } from '@mantine/core';
import { useState } from 'react';
import { CopyLine } from '../../../components/copying/copy-line.tsx';
import { useSettings } from '../../../use-settings.ts';
import { CLIENTS, type Client, type ClientTarget, clientLines, endpointForPrograms } from './client-lines.ts';

/** A choice of S3 clients, and the commands that set up the chosen one. */
export default function ClientChoice({ target }: { target: Omit<ClientTarget, 'endpoint'> }) {
  const { t } = useLingui();
  const endpoint = endpointForPrograms(useSettings().s3Url);
  const [client, setClient] = useState<Client>('aws-cli');
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t`Client`}
        data={[...CLIENTS]}
        value={client}
        onChange={({ currentTarget }) =>
          setClient(CLIENTS.find((choice) => choice === currentTarget.value) ?? client)
        }
      />
      <CopyLine
        value={clientLines(client, { ...target, endpoint })}
        label={t`Copy the lines for ${client}`}
      />
    </Stack>
  );
}
