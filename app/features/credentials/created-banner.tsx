import { Trans, useLingui } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { Suspense } from 'react';
import type { CreateCredentialResult } from '#server/services/credentials/schema.ts';
import { REGION } from '#server/services/storage/rules.ts';
import { CopyLine } from '../../components/copying/copy-line.tsx';
import { lazyPart } from '../../components/lazy-parts/lazy-part.tsx';
import { MadeBanner } from '../../components/notifications/made-banner.tsx';

/** Only a credential with access to a bucket needs them. */
const ClientChoice = lazyPart(() => import('../storage/clients/client-choice.tsx'));

/** Both keys right after creation: the only time that the secret is shown. */
export function CreatedBanner(props: {
  created: CreateCredentialResult;
  onSecretCopied: () => void;
  onDismiss: () => void;
}) {
  const { created, onSecretCopied, onDismiss } = props;
  const { t } = useLingui();
  const { name, public_key: accessKey, scopes } = created.credential;
  const bucket = scopes.find(({ resource_type }) => resource_type === 'bucket')?.resource_name;
  return (
    <MadeBanner title={<Trans>The credential {name} is ready</Trans>} onDismiss={onDismiss}>
      <Text size="sm">
        <Trans>Copy the secret key now: it is shown only once and cannot be looked up later.</Trans>
      </Text>
      <KeyLine name={t`Public key`} value={created.credential.public_key} label={t`Copy public key`} />
      <KeyLine
        name={t`Secret key`}
        value={created.secret_key}
        label={t`Copy secret key`}
        onCopied={onSecretCopied}
      />
      {bucket && (
        <Suspense fallback={null}>
          <ClientChoice
            target={{
              region: REGION,
              bucket,
              accessKey,
              secretKey: created.secret_key,
            }}
          />
        </Suspense>
      )}
    </MadeBanner>
  );
}

function KeyLine(props: { name: string; value: string; label: string; onCopied?: () => void }) {
  const { name, value, label, onCopied } = props;
  return (
    <div>
      <Text size="xs" fw={600} mb={4}>
        {name}
      </Text>
      <CopyLine value={value} label={label} onCopied={onCopied} />
    </div>
  );
}
