import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { EXPIRATION_DAYS, expiresAfter } from '#server/services/credentials/rules.ts';
import type { CreateCredentialResult } from '#server/services/credentials/schema.ts';
import { DialogActions } from '../../components/dialogs/dialog-actions.tsx';
import { FORESEEN_MESSAGES } from '../../i18n/errors/foreseen-messages.ts';
import { readError } from '../../i18n/errors/read-error.ts';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import { BucketChecklist } from './scopes/bucket-checklist.tsx';
import { BucketCreationChoice } from './scopes/bucket-creation-choice.tsx';
import { NoAccessWarning } from './scopes/no-access-warning.tsx';
import { SiteChecklist } from './scopes/site-checklist.tsx';
import { toScopes } from './scopes/to-scopes.ts';
import { useExpirationWords } from './use-expiration-words.ts';

const CREATE_FAILED = msg({ id: 'credentials.errors.createFailed', message: 'Failed to create credential' });

/** The site or bucket whose page led here. */
export interface InitialAccess {
  siteId: string | undefined;
  bucketId: string | undefined;
}

/** Name, description, sites, buckets and expiration of a new credential. */
export function CreateCredentialForm(props: {
  initial: InitialAccess;
  onCancel: () => void;
  onCreated: (result: CreateCredentialResult) => void;
}) {
  const { t, i18n } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const expirationWords = useExpirationWords();
  const utils = trpc.useUtils();
  const [name, setName] = useState('');
  const [isNameTouched, setNameTouched] = useState(false);
  const [description, setDescription] = useState('');
  const [siteIds, setSiteIds] = useState(() => setOf(props.initial.siteId));
  const [bucketIds, setBucketIds] = useState(() => setOf(props.initial.bucketId));
  const [mayCreateBuckets, setMayCreateBuckets] = useState(false);
  const [expiration, setExpiration] = useState('never');
  // What is sent again because the response was lost is the same credential: it expires when it would have.
  const attemptedAt = useRef<number>(null);
  const create = trpc.credentials.create.useMutation();
  const isNameEmpty = name.trim() === '';
  const nameError = isNameTouched && isNameEmpty ? i18n._(FORESEEN_MESSAGES.credential_name_required) : null;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isNameEmpty || create.isPending) return;
    const days = EXPIRATION_DAYS.find((choice) => String(choice ?? 'never') === expiration) ?? null;
    attemptedAt.current ??= Date.now();
    try {
      const result = await create.mutateAsync({
        organization_id: organization.id,
        name: name.trim(),
        description: description.trim() || undefined,
        expires_at: expiresAfter(days, attemptedAt.current),
        scopes: toScopes({ siteIds, bucketIds }),
        may_create_buckets: mayCreateBuckets,
      });
      await utils.credentials.invalidate();
      props.onCreated(result);
    } catch (error) {
      // Shown from create.error.
      if (readError(error) !== null) attemptedAt.current = null;
    }
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          label={t`Name`}
          // The error takes the place of the description: when leaving the field moved what follows, the click that left it missed its target.
          description={nameError === null ? t`What uses it, such as “website deploys”.` : null}
          error={nameError}
          inputWrapperOrder={['label', 'description', 'error', 'input']}
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onBlur={() => setNameTouched(true)}
        />
        <TextInput
          label={t`Description`}
          maxLength={500}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <SiteChecklist selected={siteIds} onChange={setSiteIds} maxHeight="12rem" />
        <BucketChecklist selected={bucketIds} onChange={setBucketIds} maxHeight="12rem" />
        <Select
          label={t`Expiration`}
          value={expiration}
          onChange={(value) => setExpiration(value ?? 'never')}
          data={EXPIRATION_DAYS.map((days) => ({
            value: String(days ?? 'never'),
            label: expirationWords(days),
          }))}
        />
        <BucketCreationChoice isChosen={mayCreateBuckets} onChange={setMayCreateBuckets} />
        {siteIds.size + bucketIds.size === 0 && !mayCreateBuckets && <NoAccessWarning />}
        {create.error && (
          <Alert color="red" role="alert" title={i18n._(CREATE_FAILED)}>
            {describe(create.error)}
          </Alert>
        )}
        <DialogActions
          submit={<Trans>Create credential</Trans>}
          onCancel={props.onCancel}
          isPending={create.isPending}
          isDisabled={isNameEmpty}
        />
      </Stack>
    </form>
  );
}

function setOf(id: string | undefined): ReadonlySet<string> {
  return new Set(id === undefined ? [] : [id]);
}
