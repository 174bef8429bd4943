import { Trans } from '@lingui/react/macro';
import { getRouteApi } from '@tanstack/react-router';
import { AnchorLink } from '../../../components/links.tsx';

const route = getRouteApi('/identity/organizations/$handle');

/** Leads to what each permission allows, beside where one is chosen. */
export function PermissionsLink() {
  const { handle } = route.useParams();
  return (
    <AnchorLink
      to="/identity/organizations/$handle"
      params={{ handle }}
      search={{}}
      hash="permissions"
      activeOptions={{ exact: true, includeSearch: true }}
      size="sm"
      underline="always"
    >
      <Trans>What each permission allows</Trans>
    </AnchorLink>
  );
}
