import { Trans, useLingui } from '@lingui/react/macro';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { INVITATION_DAYS, mayGrant, PERMISSIONS } from '#server/services/organizations/rules.ts';
import {
  type Invitation,
  inviteMemberInput,
  type Membership,
} from '#server/services/organizations/schema.ts';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { useSchemaForm } from '../../../components/forms/use-schema-form.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { trpc } from '../../../trpc.ts';
import { useSettings } from '../../../use-settings.ts';
import { PermissionsLink } from '../members/permissions-link.tsx';
import { useOrganizationWords } from '../profile/use-organization-words.ts';
import classes from './invitations-tab.module.css';

/**
 * A permission, and if this installation sends email also an address; the result is a link that works once.
 */
export function InviteForm(props: { membership: Membership; onInvited: (invitation: Invitation) => void }) {
  const { i18n, t } = useLingui();
  const { membership, onInvited } = props;
  const { sendsMail } = useSettings();
  const wordsOf = useOrganizationWords();
  const utils = trpc.useUtils();
  const invite = trpc.organizations.invite.useMutation();
  const [hasEmail, setHasEmail] = useState(false);
  const organizationId = membership.organization.id;
  const form = useSchemaForm({
    schema: inviteMemberInput,
    wordsOf,
    fieldOfCode: { already_member: 'email' },
    send: async (input) => {
      const invitation = await invite.mutateAsync({ organization_id: organizationId, ...input });
      form.formProps.ref.current?.reset();
      setHasEmail(false);
      onInvited(invitation);
      await utils.organizations.invitations.invalidate({ organization_id: organizationId });
    },
  });
  const permissionField = (
    <NativeSelect
      name="permission"
      label={t`Permission`}
      defaultValue={form.typed.permission ?? 'write'}
      data={PERMISSIONS.toReversed()
        .filter((permission) => mayGrant(membership.permission, permission))
        .map((permission) => ({ value: permission, label: i18n._(PERMISSION_NAMES[permission]) }))}
      error={form.errors.permission}
    />
  );
  return (
    <SectionCard
      id="invite"
      title={<Trans>Invite people</Trans>}
      description={
        <>
          <Trans>An invitation is a link that lets one person join, within {INVITATION_DAYS} days.</Trans>{' '}
          <PermissionsLink />
        </>
      }
    >
      <form {...form.formProps} aria-label={t`Invite people`}>
        <Stack gap="md">
          <div className={classes.fields}>
            {permissionField}
            {sendsMail && (
              <TextInput
                name="email"
                type="email"
                label={t`Email (optional)`}
                description={t`We send the link there. Without an address, you share it yourself.`}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                autoComplete="off"
                maxLength={254}
                defaultValue={form.typed.email}
                onChange={(event) => setHasEmail(event.currentTarget.value.trim() !== '')}
                error={form.errors.email}
              />
            )}
          </div>
          {!sendsMail && (
            <Text size="sm" c="dimmed">
              <Trans>This installation does not send email: you get the link and share it yourself.</Trans>
            </Text>
          )}
          {form.failure && <ErrorNotice>{form.failure}</ErrorNotice>}
          <Group>
            <Button type="submit" loading={form.isPending}>
              {hasEmail ? <Trans>Send invitation</Trans> : <Trans>Create invitation link</Trans>}
            </Button>
          </Group>
        </Stack>
      </form>
    </SectionCard>
  );
}
