// Has no functions: see CTestSettings.c.
