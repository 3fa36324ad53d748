export async function measureDelegation() { return []; }
