import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { type Organization, updateOrganizationInput } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { SavedMark } from '../../../components/forms/saved-mark.tsx';
import { useSaved } from '../../../components/forms/use-saved.ts';
import { type TypedValues, useSchemaForm } from '../../../components/forms/use-schema-form.ts';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { HandleField } from './handle-field.tsx';
import { OrganizationFields } from './organization-fields.tsx';
import { useOrganizationWords } from './use-organization-words.ts';

/** The profile of an organization: saved as a whole; a new handle redirects to the page's new address. */
export function EditOrganizationForm({ organization }: { organization: Organization }) {
  const { t } = useLingui();
  const { publicUrl } = useSettings();
  const router = useRouter();
  const wordsOf = useOrganizationWords();
  const utils = trpc.useUtils();
  const update = trpc.organizations.update.useMutation();
  const [isSaved, showSaved, hideSaved] = useSaved();
  const [changed, setChanged] = useState<TypedValues>({});
  const stored = valuesOf(organization);
  const isChanged = Object.entries(changed).some(([name, value]) => stored[name] !== value);
  const handle = (changed.handle ?? stored.handle ?? '').trim().toLowerCase();

  const form = useSchemaForm({
    schema: updateOrganizationInput,
    draft: `organization ${organization.id}`,
    wordsOf,
    fieldOfCode: { organization_handle_taken: 'handle' },
    send: async (input) => {
      const saved = await update.mutateAsync({ organization_id: organization.id, ...input });
      setChanged({});
      refill(form.formProps.ref.current, valuesOf(saved));
      await utils.organizations.list.invalidate();
      if (saved.handle !== null && saved.handle !== organization.handle) {
        await router.navigate({
          to: '/identity/organizations/$handle',
          params: { handle: saved.handle },
          replace: true,
          resetScroll: false,
        });
      }
      await utils.organizations.publicProfile.invalidate();
      showSaved();
    },
  });
  const { errors } = form;
  return (
    <form
      {...form.formProps}
      aria-label={t`Profile`}
      onChange={({ target }) => {
        if (!isTextField(target)) return;
        const { name, value } = target;
        setChanged((before) => ({ ...before, [name]: value }));
        hideSaved();
      }}
    >
      <Stack gap="md">
        <TextInput
          name="name"
          label={t`Name`}
          required
          autoComplete="organization"
          maxLength={100}
          defaultValue={stored.name}
          error={errors.name}
        />
        <div>
          <HandleField
            defaultValue={stored.handle}
            preview={handle}
            publicUrl={publicUrl}
            error={errors.handle}
          />
          {handle !== stored.handle && (
            <Text size="xs" c="dimmed" role="note">
              <Trans>Links with the old short name stop working.</Trans>
            </Text>
          )}
        </div>
        <OrganizationFields values={stored} errors={errors} />
        <TextInput
          name="avatar_url"
          type="url"
          label={t`Picture address`}
          description={t`The address of an image on the web, beginning with https://. Leave it empty to show your initials.`}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={300}
          defaultValue={stored.avatar_url}
          error={errors.avatar_url}
        />
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Group>
          <Button type="submit" loading={form.isPending} disabled={!isChanged}>
            <Trans>Save profile</Trans>
          </Button>
          <SavedMark isShown={isSaved}>
            <Trans>Profile saved</Trans>
          </SavedMark>
        </Group>
      </Stack>
    </form>
  );
}

function valuesOf(organization: Organization): TypedValues {
  const { name, handle, description, website, location, avatar_url: avatarUrl } = organization;
  return {
    name,
    handle: handle ?? '',
    description: description ?? '',
    website: website ?? '',
    location: location ?? '',
    avatar_url: avatarUrl ?? '',
  };
}

/** Shows the stored values in the fields of a form: the server may have changed what was typed. */
function refill(form: HTMLFormElement | null, values: TypedValues): void {
  for (const [name, value] of Object.entries(values)) {
    const field = form?.elements.namedItem(name);
    if (isTextField(field)) field.value = value;
  }
}

function isTextField(target: unknown): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
