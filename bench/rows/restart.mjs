export async function measureRestart() { return []; }
