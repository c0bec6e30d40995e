// SPDX-License-Identifier: Apache-2.0
/** Tests of the routes of the configuration of replicas. */
@NullMarked
package dev.coxswain.admin.internal.configuration;

import org.jspecify.annotations.NullMarked;
