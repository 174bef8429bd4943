import { Trans } from '@lingui/react/macro';
import { Card } from '@mantine/core';
import { PageHeader } from '../../../components/page/page-header.tsx';
import { HomeFrame } from '../../frame/home-frame.tsx';
import { CreateOrganizationForm } from './create-organization-form.tsx';

/** Where a named organization is created. */
export function CreateOrganizationPage() {
  return (
    <HomeFrame width="form">
      <PageHeader
        title={<Trans>Create an organization</Trans>}
        subtitle={
          <Trans>
            A place to host together: it has its own sites, credentials and bill, and you decide who may do
            what.
          </Trans>
        }
      />
      <Card>
        <CreateOrganizationForm />
      </Card>
    </HomeFrame>
  );
}
