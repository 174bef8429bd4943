import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Credential } from '#server/services/credentials/schema.ts';
import { REGION } from '#server/services/storage/rules.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { Facts } from '../../../components/facts.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { BucketChecklist } from './bucket-checklist.tsx';
import { BucketCreationChoice } from './bucket-creation-choice.tsx';
import { NoAccessWarning } from './no-access-warning.tsx';
import { SiteChecklist } from './site-checklist.tsx';
import { toScopes } from './to-scopes.ts';

const UPDATE_FAILED = msg({ id: 'credentials.errors.updateFailed', message: 'Failed to update credential' });

/** Which sites and buckets a credential has access to; its name, description and public key are read-only. */
export function EditScopesForm({ credential, onDone }: { credential: Credential; onDone: () => void }) {
  const { t, i18n } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const [chosenSites] = useState(() => reached(credential, 'site'));
  const [chosenBuckets] = useState(() =>
    reached(credential, 'bucket').map((bucket) => ({ ...bucket, region: REGION })),
  );
  const [siteIds, setSiteIds] = useState(() => idsOf(chosenSites));
  const [bucketIds, setBucketIds] = useState(() => idsOf(chosenBuckets));
  const [mayCreateBuckets, setMayCreateBuckets] = useState(credential.may_create_buckets);
  const update = trpc.credentials.updateScopes.useMutation();

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (update.isPending) return;
    try {
      await update.mutateAsync({
        organization_id: organization.id,
        credential_id: credential.id,
        scopes: toScopes({ siteIds, bucketIds }),
        may_create_buckets: mayCreateBuckets,
      });
      await utils.credentials.invalidate();
      const { name } = credential;
      notifySuccess(t`The scopes of ${name} were saved`);
      onDone();
    } catch {
      // Shown from update.error.
    }
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Facts
          facts={[
            { name: t`Name`, value: credential.name },
            ...(credential.description ? [{ name: t`Description`, value: credential.description }] : []),
            { name: t`Public key`, value: <code>{credential.public_key}</code> },
          ]}
        />
        <SiteChecklist
          isFirst
          selected={siteIds}
          onChange={setSiteIds}
          maxHeight="16rem"
          chosen={chosenSites}
        />
        <BucketChecklist
          selected={bucketIds}
          onChange={setBucketIds}
          maxHeight="16rem"
          chosen={chosenBuckets}
        />
        <BucketCreationChoice isChosen={mayCreateBuckets} onChange={setMayCreateBuckets} />
        {siteIds.size + bucketIds.size === 0 && !mayCreateBuckets && <NoAccessWarning />}
        {update.error && (
          <Alert color="red" role="alert" title={i18n._(UPDATE_FAILED)}>
            {describe(update.error)}
          </Alert>
        )}
        <DialogActions submit={<Trans>Save scopes</Trans>} onCancel={onDone} isPending={update.isPending} />
      </Stack>
    </form>
  );
}

/** What a credential reaches. A deleted resource has no checkbox, and the server would refuse it. */
function reached({ scopes }: Credential, type: 'site' | 'bucket'): { id: string; name: string }[] {
  return scopes.flatMap(({ resource_type, resource_id, resource_name }) =>
    resource_type === type && resource_name !== null ? [{ id: resource_id, name: resource_name }] : [],
  );
}

const idsOf = (resources: readonly { id: string }[]): ReadonlySet<string> =>
  new Set(resources.map(({ id }) => id));
