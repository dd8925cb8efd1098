/**
 * The address of the site: `site` of `.config/publish/owner.json`, which the owner sets once. A test holds the two together. What is
 * published reads no file, so that the address is also here.
 */
export const SITE: string = '';

/** The page of the site that explains an error or a warning. */
export const helpOf = (code: string, site = SITE): string => `${site.replace(/\/$/, '')}/errors/${code}`;
