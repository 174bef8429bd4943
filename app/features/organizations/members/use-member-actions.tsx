import { Trans, useLingui } from '@lingui/react/macro';
import type { Permission } from '#server/services/organizations/rules.ts';
import type { Member } from '#server/services/organizations/schema.ts';
import { askConfirmation } from '../../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import { trpc } from '../../../trpc.ts';

/**
 * Returns functions that change a member's permission, shown immediately, and remove a member after asking.
 */
export function useMemberActions(organizationId: string, search: string | undefined) {
  const { i18n, t } = useLingui();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const update = trpc.organizations.updateMember.useMutation();
  const remove = trpc.organizations.removeMember.useMutation();
  const inIt = { organization_id: organizationId };

  /** Shows the permission in the visible list before the server has stored it. */
  const show = (userId: string, permission: Permission) =>
    utils.organizations.members.setInfiniteData(
      { ...inIt, search },
      (data) => data && withPermission(data, userId, permission),
    );

  const refresh = async (isOwn: boolean) => {
    await utils.organizations.members.invalidate(inIt);
    if (!isOwn) return;
    await utils.organizations.list.invalidate();
    await utils.organizations.publicProfile.invalidate();
  };

  const changePermission = async (member: Member, permission: Permission) => {
    const name = member.full_name || member.login;
    const permissionName = i18n._(PERMISSION_NAMES[permission]);
    if (member.is_you) {
      const isSure = await askConfirmation({
        title: t`Change your own permission?`,
        body: (
          <Trans>
            Your permission becomes <strong>{permissionName}</strong>. To get your current permission back,
            you need someone else’s help.
          </Trans>
        ),
        confirm: t`Change my permission`,
        isDestructive: true,
      });
      if (!isSure) return;
    }
    await utils.organizations.members.cancel(inIt);
    show(member.user_id, permission);
    try {
      await update.mutateAsync({ ...inIt, user_id: member.user_id, permission });
      notifySuccess(t`${name} now has the ${permissionName} permission`);
    } catch (error) {
      show(member.user_id, member.permission);
      notifyFailure(describe(error));
    }
    await refresh(member.is_you);
  };

  const askToRemove = async (member: Member) => {
    const name = member.full_name || member.login;
    const isSure = await askConfirmation({
      title: t`Remove ${name}?`,
      body: (
        <Trans>
          <strong>{name}</strong> immediately loses access to everything in this organization. What they
          created stays.
        </Trans>
      ),
      confirm: t`Remove member`,
      isDestructive: true,
    });
    if (!isSure) return;
    try {
      await remove.mutateAsync({ ...inIt, user_id: member.user_id });
      notifySuccess(t`${name} was removed`);
    } catch (error) {
      notifyFailure(describe(error));
    }
    await refresh(false);
  };

  return { changePermission, askToRemove, isRemoving: remove.isPending };
}

function withPermission<Data extends { pages: { items: Member[] }[] }>(
  data: Data,
  userId: string,
  permission: Permission,
): Data {
  const change = (member: Member) => (member.user_id === userId ? { ...member, permission } : member);
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(change) })) };
}
