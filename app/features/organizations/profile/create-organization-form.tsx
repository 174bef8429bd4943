import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { createOrganizationInput } from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useProposal } from '../../../components/forms/use-proposal.ts';
import { useSchemaForm } from '../../../components/forms/use-schema-form.ts';
import { ButtonLink } from '../../../components/links.tsx';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { useFocusOnArrival } from '../../identity/use-focus-on-arrival.ts';
import { useEnterOrganization } from '../invitations/use-enter-organization.ts';
import { useUser } from '../use-organization.ts';
import { HandleField } from './handle-field.tsx';
import { OrganizationFields } from './organization-fields.tsx';
import { suggestHandle } from './suggest-handle.ts';
import { useOrganizationWords } from './use-organization-words.ts';

/** Name, handle and profile of a new organization; once it is created, the console opens it. */
export function CreateOrganizationForm() {
  const { t } = useLingui();
  const { publicUrl } = useSettings();
  const router = useRouter();
  const wordsOf = useOrganizationWords();
  const focus = useFocusOnArrival<HTMLInputElement>();
  const proposed = useProposal(suggestHandle);
  const enter = useEnterOrganization();
  const create = trpc.organizations.create.useMutation();
  const form = useSchemaForm({
    schema: createOrganizationInput,
    draft: `organization of ${useUser().id}`,
    wordsOf,
    fieldOfCode: { organization_handle_taken: 'handle' },
    send: async (input) => {
      const { organization } = await create.mutateAsync(input);
      await enter(organization.id);
    },
  });
  const { errors, typed } = form;
  return (
    <form {...form.formProps} aria-label={t`Create an organization`}>
      <Stack gap="md">
        <TextInput
          ref={focus}
          name="name"
          label={t`Name`}
          required
          autoComplete="organization"
          maxLength={100}
          defaultValue={typed.name}
          {...proposed.sourceProps}
          error={errors.name}
        />
        <HandleField
          {...proposed.fieldProps}
          defaultValue={typed.handle}
          preview={proposed.shown}
          publicUrl={publicUrl}
          error={errors.handle}
        />
        <OrganizationFields values={typed} errors={errors} />
        {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
        <Group justify="space-between" gap="sm">
          <Text size="xs" c="dimmed" flex="1 1 14rem">
            <Trans>You become its owner and can invite others right away.</Trans>
          </Text>
          <Group gap="xs">
            <ButtonLink to="/" variant="default" onClick={(event) => goBack(event, router.history)}>
              <Trans>Cancel</Trans>
            </ButtonLink>
            <Button type="submit" loading={form.isPending}>
              <Trans>Create organization</Trans>
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/**
 * Leads back to where the person came from inside the console, if they did; otherwise the link leads to the
 * dashboard.
 */
function goBack(event: { preventDefault(): void }, history: { canGoBack(): boolean; back(): void }): void {
  if (!history.canGoBack()) return;
  event.preventDefault();
  history.back();
}
