// SPDX-License-Identifier: Apache-2.0

/** Replays the recorded scenarios of a real API server, which are in the test resources. */
@NullMarked
package dev.coxswain.apiserver.contract;

import org.jspecify.annotations.NullMarked;
