// SPDX-License-Identifier: Apache-2.0
/** Controllers of plug-ins that several of the tests with real processes start. */
@NullMarked
package dev.coxswain.host.e2e.controller;

import org.jspecify.annotations.NullMarked;
