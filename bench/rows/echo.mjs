export async function measureEcho() { return []; }
