import { Trans, useLingui } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { ACTION_PERMISSION, isAllowed } from '#server/services/organizations/rules.ts';
import type { Membership } from '#server/services/organizations/schema.ts';
import { SectionCard } from '../../../components/page/section-card.tsx';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { PermissionGuide } from '../members/permission-guide.tsx';
import { useMemberReason } from '../members/use-member-reason.ts';
import { DeleteOrganization } from './delete-organization.tsx';
import { EditOrganizationForm } from './edit-organization-form.tsx';

/** The profile for those who may change it, what each permission allows, and deleting the organization. */
export function AboutTab({ membership }: { membership: Membership }) {
  const { organization, permission } = membership;
  const { i18n } = useLingui();
  const required = i18n._(PERMISSION_NAMES[ACTION_PERMISSION['organization.update']]);
  const reason = useMemberReason(membership)('organization.update');
  return (
    <Stack gap="lg">
      {reason === null && (
        <SectionCard
          title={<Trans>Profile</Trans>}
          description={<Trans>Shown to everyone at the top of this page, signed in or not.</Trans>}
        >
          <EditOrganizationForm organization={organization} />
        </SectionCard>
      )}
      <div id="permissions">
        <SectionCard
          title={<Trans>What each permission allows</Trans>}
          description={
            isAllowed(permission, 'organization.update') ? null : (
              <Trans>To change the profile, you need the {required} permission.</Trans>
            )
          }
        >
          <PermissionGuide own={permission} />
        </SectionCard>
      </div>
      {isAllowed(permission, 'organization.delete') && <DeleteOrganization membership={membership} />}
    </Stack>
  );
}
