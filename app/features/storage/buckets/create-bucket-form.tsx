import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import {
  BUCKET_NAME_MAX,
  BUCKET_NAME_MIN,
  type BucketNameProblem,
  bucketNameProblem,
  REGION,
} from '#server/services/storage/rules.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { focusField } from '../../../components/focus/focus-field.ts';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import { addTyped, CorsFields, corsInput, ORIGIN_FIELD, type TypedCors } from './cors-fields.tsx';
import { regionName } from './region-name.ts';

/** Name, region and CORS of a new bucket. */
export default function CreateBucketForm({ onDone }: { onDone: () => void }) {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const create = trpc.storage.createBucket.useMutation();
  const [name, setName] = useState('');
  const [cors, setCors] = useState<TypedCors>({ isEnabled: false, origins: [], typed: '' });
  const [isChecked, setChecked] = useState(false);
  const nameProblem = bucketNameProblem(name.trim());
  const isNameWrong = nameProblem !== null;
  const nameProblems: Record<BucketNameProblem, string> = {
    length: t`Use ${BUCKET_NAME_MIN} to ${BUCKET_NAME_MAX} characters`,
    characters: t`Use only a-z, 0-9, dots and hyphens, with a letter or digit at both ends`,
    dots: t`A dot cannot be next to another dot or a hyphen`,
    address: t`Use a name that does not look like an IP address`,
  };
  const origins = addTyped(cors);
  const isOriginWrong = cors.isEnabled && origins === null;

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (create.isPending) return;
    setChecked(true);
    if (isNameWrong || isOriginWrong) {
      focusField(event.currentTarget, isNameWrong ? 'name' : ORIGIN_FIELD);
      return;
    }
    try {
      const bucket = await create.mutateAsync({
        organization_id: organization.id,
        name: name.trim(),
        region: REGION,
        ...corsInput({ isEnabled: cors.isEnabled, origins: origins ?? [] }),
      });
      await utils.storage.invalidate();
      const created = bucket.name;
      notifySuccess(t`The bucket ${created} was created`);
      onDone();
    } catch {
      // Shown from create.error.
    }
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          data-autofocus
          name="name"
          label={t`Name`}
          description={t`3 to 63 characters: lowercase letters, digits, dots and hyphens, starting and ending with a letter or digit.`}
          required
          maxLength={BUCKET_NAME_MAX + 1}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setChecked(false);
            create.reset();
          }}
          error={isChecked && nameProblem ? nameProblems[nameProblem] : null}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Select
          label={t`Region`}
          value={REGION}
          allowDeselect={false}
          data={[{ value: REGION, label: regionName(REGION) }]}
        />
        <CorsFields value={cors} onChange={setCors} isRefused={isChecked && isOriginWrong} />
        {create.error && (
          <Alert
            color="red"
            role="alert"
            title={<Trans>Failed to create bucket. Please check the form and try again.</Trans>}
          >
            {describe(create.error)}
          </Alert>
        )}
        <DialogActions submit={<Trans>Create bucket</Trans>} onCancel={onDone} isPending={create.isPending} />
      </Stack>
    </form>
  );
}
