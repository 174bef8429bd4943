import { Trans } from '@lingui/react/macro';
import { IconBuildingCommunity } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { OpenFrame } from './open-frame.tsx';

const route = getRouteApi('/identity/organizations/$handle');

/** A short name that nobody has, or has any more. */
export function OrganizationNotFound() {
  const { visitor } = route.useRouteContext();
  return (
    <OpenFrame visitor={visitor}>
      <EmptyState
        icon={IconBuildingCommunity}
        title={<Trans>Organization not found</Trans>}
        action={
          <ButtonLink to="/" variant="default">
            <Trans>Go to Dashboard</Trans>
          </ButtonLink>
        }
      >
        <Trans>Nobody has this short name. It may have been changed, or the organization was deleted.</Trans>
      </EmptyState>
    </OpenFrame>
  );
}
