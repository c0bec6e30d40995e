// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.coxswain.host.ownership;

import org.jspecify.annotations.NullMarked;
