// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.testing.network;

import org.jspecify.annotations.NullMarked;
